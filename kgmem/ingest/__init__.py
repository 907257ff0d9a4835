"""From documents to what the store keeps: load, split, analyse, encode, link. Writes through the store's contract."""
