"""The Neo4j engine."""
