"""Rows of a comparison, and whether their targets are met."""


class Report:
    """What was measured, in the order in which it was added."""

    def __init__(self):
        self.rows = []
        self.notes = []
        self.is_met = True

    def add(self, name, value, shown, target=None, remark=""):
        """Adds a row.

        `target` is what the product promises: a relation, `<=` or `>=`, and a number.
        """
        if target is None:
            self.rows.append((name, shown, "", "", remark))
            return
        relation, limit = target
        is_met = value >= limit if relation == ">=" else value <= limit
        self.is_met = self.is_met and is_met
        self.rows.append((name, shown, f"{relation} {limit:,}", "met" if is_met else "NOT MET", remark))

    def note(self, text):
        """Adds a line below the rows: something that wasn't measured, or otherwise than it should be."""
        self.notes.append(text)

    def print(self):
        if self.rows:
            widths = [max(len(line[column]) for line in self.rows) for column in range(4)]
            for name, shown, target, verdict, remark in self.rows:
                columns = (name.ljust(widths[0]), shown.rjust(widths[1]), target.ljust(widths[2]))
                print("  ".join((*columns, verdict.ljust(widths[3]), remark)).rstrip())
        for note in self.notes:
            print(note)
