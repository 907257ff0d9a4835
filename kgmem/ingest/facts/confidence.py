from kgmem.ingest.facts.tree import Tree
from kgmem.ingest.facts.verbal import Candidate
def confidence(tree: Tree, sentence: tuple[int, int], fact: Candidate) -> float:
    return 1.0
