print("bookshelf")
