"""Asks scim2-tester whether a service keeps to SCIM 2.0, and prints each of its checks that does not succeed."""

import sys
from collections import Counter

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

url, token = sys.argv[1:]
client = SyncSCIMClient(httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}))
client.discover()
counts = Counter()
for result in check_server(client):
    counts[result.status.name] += 1
    if result.status is not Status.SUCCESS:
        print(result.status.name, result.title, result.reason)
print(dict(counts))
sys.exit(1 if counts["ERROR"] + counts["CRITICAL"] > 0 or counts["SUCCESS"] == 0 else 0)
