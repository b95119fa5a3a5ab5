import Catalog
import Glibc

// Makes a shelf of invented books, indexes it and searches it, in this process: measure-search DIRECTORY COUNT QUERIES.
// Prints a line of JSON for each thing measured; Benchmarks/measurement/search.py runs it.

let arguments = CommandLine.arguments
guard arguments.count == 4, let bookCount = Int(arguments[2]), let queryCount = Int(arguments[3]), queryCount > 0 else {
    print("usage: measure-search DIRECTORY COUNT QUERIES")
    exit(2)
}
do {
    let measurement = SearchMeasurement(path: arguments[1] + "/catalog.db", shelf: InventedShelf(count: bookCount))
    try measurement.makeShelf()
    try measurement.index()
    try measurement.search(queryCount)
} catch {
    print("{\"error\": \"\(error)\"}")
    exit(1)
}
