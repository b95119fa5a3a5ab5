"""The fifty-nine English books. Titles, authors and texts are invented for this project."""

import unicodedata

from book import shelf

SAMPLE = {"standing": "sample"}
LISTED = {"standing": "listed"}

# Exactly 300 characters, all of them ASCII.
LONG_TITLE = (
    "The True and Complete Account of How My Great-Aunt Philippa Kept an Inn, a Goat, Two Lodgers and a Grudge on the "
    "Wrong Side of the Harbour for Forty Years, With Some Remarks on the Price of Coal, the Habits of Curates, the "
    "Proper Way to Boil an Egg at Sea, and a Map, Since Lost and Greatly Regretted"
)


def decomposed(text):
    return unicodedata.normalize("NFD", text)


NOVELS = [
    ("The Lamp Room", "Ada Merrow", "Skarrow", "the brass barometer", ", Old Tam",
     "A woman comes home by the last ferry of the year to ask one question of one person.",
     {"publisher": "Harbour Wall Press"}),
    ("The Lamp Room", "Tobias Quill", "Low Fennick", "the green accordion", ", Mr Pask",
     "An inheritance of nine clocks, no hens, and a silence that has lasted for thirty years."),
    ("The Lamp Room", "Ada Merrow", "Skarrow", "the brass barometer", ", Old Tam",
     "The author’s own revision of her first novel, with a new ending and fewer gulls.",
     {"publisher": "Harbour Wall Press", "id": "novel-03-revised"}),
    ("Salt and/or Water", "Ines Calloway", "Port Anselm", "the tin globe", ", Bartholomew",
     "Two sisters, one harbour, and the year in which spring came twice."),
    ("The \"Impossible\" Letter", "R. J. Thorne & Lucy Abara", "Mossgate", "the sewing box", ", Dunstan",
     "<p>A letter with <b>no stamp</b> and <i>no name</i>.</p><p>Everybody in Mossgate knows who wrote it &amp; nobody "
     "will say.</p><ul><li>Shortlisted for nothing</li><li>Read by everyone</li></ul>"),
    (LONG_TITLE, "Philippa Garstang-Oyelaran", "Crake Harbour", "the ship’s bell", ", Uncle Roly",
     "A comic novel whose title the printer charged for by the letter."),
    ("Eleven Windows", "Hanna Wieck", "Nordby", "the blue teapot", ", Anders",
     "What eleven households saw, or say they saw, on the night when the harbour lamps went out.",
     {"standing": "sample"}),
    (decomposed("Café Étoilé"), decomposed("Noémie Désirée Brûlé"), decomposed("Saint-Hélier-sur-Mère"),
     "the copper coffee mill", decomposed(", René"),
     "A café by the sea, its last winter, and the people who would not go home."),
    ("What the Ferryman Said. ", "Owen Pell", "Ness", "the oilskin parcel", ", Magnus",
     "He said it once, in fog, and it took the passenger half a lifetime to hear it."),
]

FANTASY = [
    ("The Toll-Keeper’s Boots", "Wren Astley", "Hollin", "the iron acorn", "Isolde, Bramwell",
     "A bridge takes what you will not miss until later. One traveller would like it back.",
     {"series": "The Small Tolls", "series_index": 1}),
    ("The Second Verse", "Wren Astley", "Hollin", "the iron acorn", "Isolde, Bramwell",
     "The map sulks, the owls sit in judgement, and the road goes on past the end of the song.",
     {"series": "The Small Tolls", "series_index": "2"}),
    ("A Door Without a Wall", "Wren Astley", "Hollin", "the iron acorn", "Isolde, Bramwell",
     "The last of the tolls is paid, and some of the change is returned.",
     {"series": "The Small Tolls", "series_index": 2.5, "standing": "sample"}),
    (".hidden and Other Small Spells", "Corin Blythe", "Wick Underhill", "the glass thimble", "Petra, Odo",
     "Ten ways of not being seen, nine of which work."),
    ("A Broom Is Not a Heron", "Marguerite Oakapple", "Tarn College", "the grey stone egg", "Linnet, Barnaby",
     "The only apprentice in the college who cannot tell a lie is put in charge of the one thing that minds."),
    ("The Owls’ Assizes", "Corin Blythe & Sefton Rook", "Ashmere", "the silver ring", "Maud, Jory",
     "Once in seven years the owls hold court. This year they have a witness.", LISTED),
    ("Glass Rain", "Leila Farouk-Hayes", "Seven Pools", "the little clay lamp", "Samira, Idris",
     "Every dune in the desert has begun to ring, and in the seventh pool it is still yesterday."),
]

SPACE = [
    ("Nine Minutes Late", "J. M. Okonkwo", "Orsel", "the red lever", ", Sorensen",
     "Light does not dawdle. So what kept the signal?", {"series": "The Quiet Shift", "series_index": 1, "plates": 8}),
    ("The Bees Are Not Real", "J. M. Okonkwo", "Orsel", "the red lever", ", Sorensen",
     "Be kind to them all the same.", {"series": "The Quiet Shift", "series_index": 2}),
    ("Forty-Six Days: An Arithmetic", "Yusuf Lindqvist", "Calla Minor", "the sealed drum", ", Pereira",
     "There is air for one of them, or for two. The sum is simple, and it is wrong.",
     {"categories": ("Science Fiction", "Mystery")}),
    ("Hang Your Wet Things Here", "Dolores Mbeki-Strand", "Far Tamar", "the black panel", ", Ito",
     "The first message from another world, and the towel it was read under.", SAMPLE),
    ("The Mirror \u202egnitirW\u202c", "Edda Noll", "Vesper Nine", "the spare antenna", ", Kowalski",
     "A ship’s log that has to be read from both ends."),
    ("Deck Five 👩‍🚀🍎", "Priya Venkataraman", "Long Meadow", "the seed chest", ", Tomasz",
     "There is a garden on the ship, and it is on none of the plans.", {"id": 70031}),
    ("Signal\\Noise", "Edda Noll", "Halden’s World", "the old receiver", ", Brandt",
     "Most of what the universe sends us is hiss. Somebody has been listening to the hiss.",
     {"categories": ("science fiction",), "standing": "listed"}),
]

MYSTERY = [
    ("CON", "Felix Harrowgate", "Tidewell", "the porcelain dog", "Inspector Vale, Sergeant Moss",
     "He swindled a whole town and then, for reasons nobody understands, came back to water the plants.",
     {"series": "Inspector Vale", "series_index": 1}),
    ("Who? What? *Why*? <A Case in Three Keys> | Volume 1", "Felix Harrowgate", "Plumley", "the golden ladle",
     "Inspector Vale, Sergeant Moss", "Three keys, three keepers, and one jar of jam.",
     {"series": "Inspector Vale", "series_index": 2}),
    ("The Cat Was Shut Out", "Agnes Tolliver", "Ember Street", "the carriage clock", "Miss Carraway, Constable Reed",
     "She is never shut out. That is what made him look."),
    ("Between Seven and Eight", "Agnes Tolliver", "Brackwater", "the crocodile case", "Miss Carraway, Constable Reed",
     "A night train that stops nowhere, and a compartment that is on nobody’s ticket."),
    ("Natural Causes, Probably", "Bertrand Osei", "Mallow", "the stuffed pike", "Inspector Darko, Sergeant Finch",
     "The doctor would like to be home for breakfast. The inspector would like to know about the geranium.", SAMPLE),
    ("The Gardener’s Yesterday", "Bertrand Osei", "Mallow Grange", "the sundial", "Inspector Darko, Sergeant Finch",
     "He heard a spade. You don’t mistake a spade.", {"id": None}),
    ("Exhibit A, Half Empty", "Felix Harrowgate", "Plumley", "the golden ladle", "Inspector Vale, Sergeant Moss",
     "The evidence has been eaten. The inspector sees no objection.",
     {"series": "Inspector Vale", "series_index": 3, "standing": "listed"}),
]

HISTORY = [
    ("The Ditch: A History of Everything Else", "Margery Ockham", "Oderhaven", "the town stone", "Klara Voss, ",
     "How two neighbours and a drain preserved three hundred years of a city that burned."),
    ("Candles in Winter", "Margery Ockham", "Oderhaven", "the old bell", "Klara Voss, ",
     "In five weeks the town bought six winters’ worth of candles. Nobody wrote down why."),
    ("Bread, Salt & Tolls", "Desmond Achterberg", "Rookbridge", "the bridge cross", "Edith Lorne, ",
     "The price of a loaf is mostly the price of its journey: a medieval town and its dinner.", {"id": None}),
    ("Letters About Cheese", "Lydia Marchbanks", "Sainte-Orre", "the drum of the militia", "Anne Corbet, ",
     "<p>Sixty-three letters by nineteen soldiers, found behind the panelling of an inn.</p><script>alert('not "
     "text')</script><p>They ask for cheese.</p>"),
    ("The Bell Nobody Paid For", "Desmond Achterberg", "Rookbridge", "the great bell", "Edith Lorne, ",
     "A quarrel of four centuries, told from the ledgers of both sides.", SAMPLE),
    ("Nine Carts of Grain", "Ruth Adeyemi-Carr", "Stavering", "the corn measure", "Joan Pell, ",
     "What a city eats in a week, and who has to be asked nicely for it.", LISTED),
    ("An Ordinary Day in Oderhaven", "Margery Ockham", "Oderhaven", "the gate key", "Klara Voss, ",
     "Two carts of apples, one of turnips; cloudy, then fair. A history of the days that nobody records.", LISTED),
]

SCIENCE = [
    ("A Longer String", "Prof. Theodora Blanchflower", "Larch Hill", "the pendulum", "Emmeline Gray, ",
     "From a child with a string to one part in a thousand million, and what was learned on the first afternoon."),
    ("The Second Column", "Ignatius Moreau", "Cold Fell", "the flame of a candle", "Greta Lund, ",
     "Anybody can write down a number. A history of saying how sure one is."),
    ("The Odd Drawer", "Prof. Theodora Blanchflower", "Larch Hill", "the electric spark", "Emmeline Gray, ",
     "Four hundred and six results that fit nowhere, and what seven of them have in common.", SAMPLE),
    ("🐙 The Octopus Who Kept Library Hours", "Naledi Fisk", "Pebble Bay", "a drop of ink",
     "Rosalind Teague, ", "She came at ten, left at five, and took nothing out without looking at it twice."),
    ("How Sure Are You?", "Ignatius Moreau & Naledi Fisk", "Cold Fell", "the water in a teacup", "Greta Lund, ",
     "Forty experiments for a garden, with room to write down the answer before you look.", {"categories": ()}),
    ("Weighing Nothing", "Casimir Holt", "Upper Vane", "a bar of iron", "Beatrix Lowe, ",
     "The splendid mistake that lasted for sixty years, and how it ended for want of invitations.", LISTED),
]

COOKING = [
    ("Stand Still First", "Wilhelmina Dace", "Brenner’s Ford", "braised leeks", ", ",
     "A cookery book that begins before the stove is lit.", {"id": None}),
    ("Onions the Colour of a Violin", "Wilhelmina Dace", "Brenner’s Ford", "onion hash", ", ",
     "You can’t hurry an onion. You can only burn it."),
    ("Plums. Thunder.", "Gaspard Iweala", "Montclair-the-Less", "plum dumplings", ", ",
     "Preserves for every month, labelled with the weather."),
    ("The Edges of the Pan", "Rosa Quintanilla-Webb", "the Calle Mayor", "crisped rice", ", ",
     "On the best part of any dish, and how to make more of it.", SAMPLE),
    ("A Spoonful Left", "Gaspard Iweala", "Montclair-the-Less", "bean stew", ", ",
     "Breakfasts from what nobody liked to finish.", LISTED),
]

TRAVEL = [
    ("Out by the Back Door", "Percival Mungo", "Arrenna", "the folding stile", ", ",
     "Eleven hundred miles on foot, for milk."),
    ("A Horse in a Field", "Sunniva Dahl", "Kettle Pass", "the patent wire-cutter", ", ",
     "On arriving: the flattest mile of any journey, and the best."),
    ("Six Days’ Rain", "Percival Mungo", "Upper Arrenna", "the iron spanner", ", ",
     "Five strangers, one stove, and a piano that is not for sale.", LISTED),
    ("My Chauffeur Has Been Struck by Lightning", "Araminta Sole", "Dzhal", "the long-handled pliers", ", ",
     "A journey with the wrong phrase book.", {"categories": ("Travel", "History")}),
    ("The Slow Bus", "Sunniva Dahl", "Ostrava-on-the-Hill", "the tin-opener", ", ",
     "It leaves when it is full. It is never full.", SAMPLE),
]

COMPUTING = [
    ("It Is as Simple as It Looks", "Constance Byte", "the gasworks", "the milk list", "Ottoline, ",
     "Notes on programs, by somebody who had to look after them.", {"id": 70052}),
    ("Doors Open from Left to Right", "Constance Byte", "the signal works", "the night timetable", "Ottoline, ",
     "The fault that goes away, and how to think until it comes back."),
    ("Names Are Hard", "Rafael Undset", "the harbour office", "the tide table", "Ingrid, ",
     "Two days, four hundred cards, one small fire.", SAMPLE),
]

CHILDREN = [
    ("Glomp!", "Tilly Underwood", "Pottle", "the Glomp", "Minna, Pim",
     "Something has eaten Wednesday. There are crumbs."),
    ("The Very Small Policeman", "Tilly Underwood", "Pottle", "the Lost Glomp", "Minna, Pim",
     "Keep left, no overtaking, thank you, madam.", SAMPLE),
    ("Who Borrowed Tuesday?", "Tilly Underwood & Jem Castle", "Little Pottle", "the Second Glomp", "Josefa, Button",
     "It asked quite nicely for the highest place in town.", LISTED),
]


def books():
    """Yields the English books in document order."""
    yield from shelf("novel", ["Fiction"], "en-GB", "novel", NOVELS)
    yield from shelf("fantasy", ["Fiction / Fantasy"], "en-GB", "fantasy", FANTASY)
    yield from shelf("space", ["Science Fiction"], "en", "space", SPACE)
    yield from shelf("mystery", ["Mystery"], "en-GB", "mystery", MYSTERY)
    yield from shelf("history", ["History"], "en-GB", "history", HISTORY)
    yield from shelf("science", ["Science"], "en-GB", "science", SCIENCE)
    yield from shelf("cooking", ["Cooking"], "en", "cooking", COOKING)
    yield from shelf("travel", ["Travel"], "en-GB", "travel", TRAVEL)
    yield from shelf("computing", ["Computing"], "en", "computing", COMPUTING)
    yield from shelf("children", ["Children"], "en-GB", "children", CHILDREN)
