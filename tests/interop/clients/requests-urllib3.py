# The recipe found everywhere. MODE=nopost leaves allowed_methods at its default, which leaves POST out.
import os

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from harness import event, headers, tell, url

post = {} if os.environ.get("MODE") == "nopost" else {"allowed_methods": None}
retry = Retry(total=4, backoff_factor=0.5, status_forcelist=[429, 500, 502, 503, 504], **post)


def send():
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retry))
    response = session.post(url + "/server-events", json=event, headers=headers, timeout=10)
    response.raise_for_status()
    response.json()


tell(send)
