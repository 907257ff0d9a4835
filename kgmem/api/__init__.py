"""The GraphQL face: schema, limits, job queue and server, over the service and without logic of its own."""
