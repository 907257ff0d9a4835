# kgmem with all it needs, the default encoder and parser too. See docker-compose.yml and docs/neo4j.md.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore

# Only what is locked, and only as wheels: nothing is compiled, so there is no compiler to take away again.
WORKDIR /src
COPY requirements.lock ./
RUN pip install --only-binary :all: --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY schema schema
COPY cypher cypher
COPY kgmem kgmem
RUN pip install --no-deps --no-build-isolation .

# The home of a plain user keeps what outlives the container: encoders that were downloaded, and files of SQLite.
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/kgmem --shell /usr/sbin/nologin kgmem
USER kgmem
WORKDIR /var/lib/kgmem
VOLUME /var/lib/kgmem

EXPOSE 8642
# Ready once the store answers and the encoder is loaded.
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --retries=6 \
    CMD ["python", "-c", "import http.client; asked = http.client.HTTPConnection('127.0.0.1', 8642, timeout=8); asked.request('GET', '/readyz'); raise SystemExit(asked.getresponse().status != 200)"]
ENTRYPOINT ["kgmem"]
CMD ["serve"]
