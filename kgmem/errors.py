"""Every error kgmem raises on purpose, each with a stable code.

KgmemError
├── UsageError            USAGE              an argument or setting that can't work
├── LoadError             LOAD_FAILED        a document that can't be read
│   ├── EmptyDocument     DOCUMENT_EMPTY     read, but there is no text in it
│   ├── TooLarge          DOCUMENT_TOO_LARGE above the size limit, or unpacks beyond it
│   ├── Encrypted         DOCUMENT_ENCRYPTED needs a password
│   └── Unsupported       DOCUMENT_UNSUPPORTED  a kind that no loader reads
├── StoreError            STORE_FAILED       the store can't do what was asked
│   ├── EncoderMismatch   ENCODER_MISMATCH   the data was encoded by another model
│   ├── StoreReadOnly     STORE_READ_ONLY    the file or server takes no writes
│   ├── StoreFull         STORE_FULL         no space left; the transaction was rolled back
│   ├── StoreBusy         STORE_BUSY         other writers held the store too long
│   ├── StoreTooLarge     STORE_TOO_LARGE    more than the server takes in one transaction; nothing was written
│   └── StoreUnavailable  STORE_UNAVAILABLE  the server can't be reached
├── NotFound              NOT_FOUND          no such document, entity, job …
├── QueryError            QUERY_INVALID      a question that can't be asked
│   └── QueryTooComplex   QUERY_TOO_COMPLEX  a GraphQL document beyond the limits
└── EncoderError          ENCODER_FAILED     the embedding model, its endpoint or the reranker failed
"""

from __future__ import annotations


class KgmemError(Exception):
    """Base of all; `str(error)` is one sentence that says what to do."""

    code = "KGMEM"


class UsageError(KgmemError, ValueError):
    code = "USAGE"


class LoadError(KgmemError):
    code = "LOAD_FAILED"


class EmptyDocument(LoadError):
    code = "DOCUMENT_EMPTY"


class TooLarge(LoadError):
    code = "DOCUMENT_TOO_LARGE"


class Encrypted(LoadError):
    code = "DOCUMENT_ENCRYPTED"


class Unsupported(LoadError):
    code = "DOCUMENT_UNSUPPORTED"


class StoreError(KgmemError):
    code = "STORE_FAILED"


class EncoderMismatch(StoreError):
    code = "ENCODER_MISMATCH"


class StoreReadOnly(StoreError):
    code = "STORE_READ_ONLY"


class StoreFull(StoreError):
    code = "STORE_FULL"


class StoreBusy(StoreError):
    code = "STORE_BUSY"


class StoreTooLarge(StoreError):
    code = "STORE_TOO_LARGE"


class StoreUnavailable(StoreError):
    code = "STORE_UNAVAILABLE"


class NotFound(KgmemError, LookupError):
    code = "NOT_FOUND"


class QueryError(KgmemError, ValueError):
    code = "QUERY_INVALID"


class QueryTooComplex(QueryError):
    code = "QUERY_TOO_COMPLEX"


class EncoderError(KgmemError):
    code = "ENCODER_FAILED"
