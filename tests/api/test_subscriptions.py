"""A job's progress over WebSocket and server-sent events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from api_help import JOB, Live, ingest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

PROGRESS = f"subscription ($id: ID!) {{ jobProgress(id: $id) {{ {JOB} }} }}"


def opened(live: Live, **more: Any) -> ClientConnection:
    url = live.url.replace("http", "ws", 1) + "/graphql"
    return connect(url, subprotocols=["graphql-transport-ws"], **more)  # type: ignore[list-item]


def say(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def hear(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(30))


def test_progress_over_websocket(own: Live) -> None:
    own.encoder.encoding.clear()
    own.encoder.gate.clear()
    try:
        made = ingest(own, wait=False, text="Alan Turing proposed a machine.", uri="turing", title="Alan Turing")
        assert own.encoder.encoding.wait(30)
        with opened(own) as socket:
            say(socket, type="connection_init")
            assert hear(socket)["type"] == "connection_ack"
            say(socket, type="subscribe", id="1", payload={"query": PROGRESS, "variables": {"id": made["id"]}})
            first = hear(socket)["payload"]["data"]["jobProgress"]
            assert (first["state"], first["sources"]) == ("RUNNING", [])
            say(socket, type="subscribe", id="2", payload={"query": "{ __typename }"})
            assert hear(socket)["payload"]["data"] == {"__typename": "Query"}
            assert hear(socket) == {"id": "2", "type": "complete"}
            own.encoder.gate.set()
            heard = []
            while (message := hear(socket))["type"] == "next":
                heard.append(message["payload"]["data"]["jobProgress"])
            assert heard[-1]["state"] == "DONE"
            assert heard[-1]["sources"][0]["title"] == "Alan Turing"
    finally:
        own.encoder.gate.set()


def test_subscriptions_are_limited_and_bad_ones_are_told(own: Live) -> None:
    own.encoder.encoding.clear()
    own.encoder.gate.clear()
    try:
        made = ingest(own, wait=False, text="Alan Turing proposed a machine.", uri="turing")
        assert own.encoder.encoding.wait(30)
        with opened(own) as socket:
            say(socket, type="connection_init")
            hear(socket)
            for n in range(11):
                say(socket, type="subscribe", id=str(n), payload={"query": PROGRESS, "variables": {"id": made["id"]}})
            heard = [hear(socket) for _ in range(11)]
            assert sorted(message["type"] for message in heard) == ["error"] + ["next"] * 10
            say(socket, type="complete", id="0")
            say(socket, type="subscribe", id="x", payload={"query": PROGRESS, "variables": {"id": "j0"}})
            while (message := hear(socket))["id"] != "x":
                pass
            assert message["payload"]["data"]["jobProgress"]["code"] == "NOT_FOUND"
            assert hear(socket)["type"] == "complete"
            say(socket, type="subscribe", id="y", payload={"query": "subscription { __schema { description } }"})
            assert hear(socket)["type"] == "error"
    finally:
        own.encoder.gate.set()


def test_websockets_of_other_sites_are_refused(live: Live) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        with pytest.raises(InvalidStatus) as refused:
            opened(live, additional_headers=headers)
        assert refused.value.response.status_code == 403


BAD = [
    "{",
    '"x"',
    "3",
    "[]",
    '{"type": "nothing"}',
    '{"type": 3}',
    '{"type": "subscribe", "id": "1"}',
    '{"type": "subscribe", "id": {}, "payload": {"query": "{ __typename }"}}',
    "[" * 50_000,
]


@pytest.mark.parametrize("message", BAD)
def test_bad_messages_close_the_connection_alone(live: Live, message: str) -> None:
    with opened(live) as socket:
        say(socket, type="connection_init")
        hear(socket)
        socket.send(message)
        with pytest.raises(ConnectionClosed):
            socket.recv(30)
    assert live.client.get("/healthz").status_code == 200


def test_progress_over_server_sent_events(own: Live) -> None:
    made = ingest(own, text="Alan Turing proposed a machine.", uri="turing")
    body = {"query": PROGRESS, "variables": {"id": made["id"]}}
    answer = own.client.post("/graphql", json=body, headers={"Accept": "text/event-stream"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [line.partition(": ")[2] for line in answer.text.splitlines() if line.startswith("data: {")]
    assert json.loads(events[-1])["data"]["jobProgress"]["state"] == "DONE"
