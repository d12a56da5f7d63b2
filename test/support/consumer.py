"""Uses the Python client against a real service and prints the results as JSON."""

import asyncio
import http.server
import json
import os
import sys
import threading

import posthorn
from posthorn import Options, Posthorn, sign_webhook, verify_webhook

results = {}
client = Posthorn()
results["who"] = client.who_am_i()
accounts = client.accounts.list()["accounts"]
draft = client.posts.create(account_ids=[account["id"] for account in accounts], body="ü" * 281)
try:
    client.posts.validate(id=draft["id"])
except posthorn.InvalidError as error:
    results["invalid"] = [(issue["code"], issue["limit"], issue["actual"]) for issue in error.issues]
change = {"id": draft["id"], "account_ids": draft["accountIds"], "base_updated_at": draft["updatedAt"]}
client.posts.update(**change, versions=[{"content": [{"body": "Short"}]}])
try:
    client.posts.update(**change, versions=[{"content": [{"body": "Too late"}]}])
except posthorn.ConflictError as error:
    results["conflict"] = error.status
try:
    client.posts.publish_now(id=draft["id"])
except posthorn.ApprovalRequiredError as error:
    results["approval"] = error.approval_url
try:
    client.posts.wait_for_result(draft["id"], wait_s=0.2, every_s=0.1)
except posthorn.NotPublishedYetError as error:
    results["waited"] = error.post["status"]
for number in range(3):
    client.posts.create(body=f"Number {number}")
results["all"] = len(list(client.posts.list_all(status="Draft", limit=2)))

progress = []
once = Options(idempotency_key="python-upload")
image = client.media.upload(sys.argv[1], alt="A horn", on_progress=lambda *told: progress.append(told), options=once)
again = client.media.upload(sys.argv[1], alt="A horn", options=once)
size = os.path.getsize(sys.argv[1])
results["upload"] = [image["kind"], image["alt"], again["id"] == image["id"], client.last_response.replayed]
results["progress"] = progress[-1] == (size, size)
with open(sys.argv[1], "rb") as file:
    results["bytes"] = client.media.upload(file.read())["width"]


class Flaky(http.server.BaseHTTPRequestHandler):
    """Refuses, hangs up, and then answers; remembers the keys."""

    seen = []

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Flaky.seen.append((self.headers["Idempotency-Key"], self.headers["User-Agent"]))
        if len(Flaky.seen) == 2:
            self.close_connection = True
            return
        status = 429 if len(Flaky.seen) == 1 else 200
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if status == 429:
            self.send_header("Retry-After", "1.5")
        self.end_headers()
        self.wfile.write(b'{"id": "post_1"}' if status == 200 else b'{"code": "TooManyRequests", "message": "", "issues": []}')

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Flaky)
threading.Thread(target=server.serve_forever, daemon=True).start()
waits = []
flaky = Posthorn(base_url=f"http://127.0.0.1:{server.server_port}", token="posthorn_pat_x", sleep=waits.append)
results["retried"] = flaky.posts.create(body="Hello")["id"]
results["keys"] = [len(Flaky.seen), len({key for key, _ in Flaky.seen}), Flaky.seen[0][1]]
results["waits"] = [waits[0], 0.7 < waits[1] <= 1.0]
server.shutdown()
try:
    Posthorn(base_url="http://127.0.0.1:9", token="x", max_retries=0).accounts.list()
except posthorn.PosthornError as error:
    results["noAnswer"] = isinstance(error, posthorn.PosthornConnectionError)

film = client.media.upload(sys.argv[2], alt="A film", options=Options(idempotency_key="python-film"))
film_again = client.media.upload(sys.argv[2], alt="A film", options=Options(idempotency_key="python-film"))
results["film"] = [film["kind"], film["bytes"] == os.path.getsize(sys.argv[2]), film_again["id"] == film["id"]]


async def use_asynchronously():
    async with posthorn.AsyncPosthorn() as asynchronous:
        drafts = [post["id"] async for post in asynchronous.posts.list_all(status="Draft", limit=2)]
        posts = await asyncio.gather(*[asynchronous.posts.get(id=one) for one in drafts])
        try:
            await asynchronous.posts.wait_for_result(drafts[0], wait_s=0.2, every_s=0.1)
        except posthorn.NotPublishedYetError as error:
            return [[post["id"] for post in posts] == drafts, error.post["status"]]


results["asynchronous"] = asyncio.run(use_asynchronously())


class KeptOpen(http.server.BaseHTTPRequestHandler):
    """Answers every call as a post that failed, then failed again."""

    protocol_version = "HTTP/1.1"
    connections = set()
    calls = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        KeptOpen.connections.add(self.client_address)
        KeptOpen.calls += 1
        answer = json.dumps({"id": "post_1", "status": "Failed", "updatedAt": f"2026-11-15T09:30:0{KeptOpen.calls}Z"})
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


kept_open = http.server.ThreadingHTTPServer(("127.0.0.1", 0), KeptOpen)
threading.Thread(target=kept_open.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{kept_open.server_port}"
with Posthorn(base_url=address, token="x", sleep=lambda _: None) as patient:
    first = patient.posts.wait_for_result("post_1")
    second = patient.posts.wait_for_result("post_1", since="2026-11-15T09:30:03Z")
results["followed"] = [first["updatedAt"], second["updatedAt"], len(KeptOpen.connections)]
kept_open.shutdown()

body, header, secret = os.environ["WEBHOOK_BODY"], os.environ["WEBHOOK_HEADER"], os.environ["WEBHOOK_SECRET"]
results["event"] = verify_webhook(body.encode(), {"Posthorn-Signature": header}, secret)["type"]
signed_at = int(header[2 : header.index(",")])
results["signature"] = sign_webhook(body, secret, now=signed_at) == header
results["rotated"] = verify_webhook(body, {"HTTP_POSTHORN_SIGNATURE": header}, ["whsec_new", secret])["id"]


def refusal(*arguments, **options):
    try:
        verify_webhook(*arguments, **options)
    except posthorn.WebhookVerificationError as error:
        return error.reason


results["refusals"] = [
    refusal(body + " ", header, secret),
    refusal(body, header, "whsec_other"),
    refusal(body, header, secret, now=signed_at + 301),
    refusal(body, header, secret, now=signed_at - 301),
    refusal(body, {}, secret),
    refusal(body, "garbage", secret),
    refusal(body, header, ""),
    refusal({"id": "evt_1"}, header, secret),
    refusal("[]", sign_webhook("[]", secret), secret),
]
print(json.dumps(results))
