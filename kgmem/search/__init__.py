"""From a question to ranked, explained chunks. Reads through the store's contract and writes nothing."""
