# Anthropic's SDK: retries a POST that carries no key.
import json

from anthropic import Anthropic

from harness import credential, input, tell, url

client = Anthropic(api_key=credential, base_url=url, timeout=10)
messages = [{"role": "user", "content": json.dumps(input)}]

tell(lambda: client.messages.create(model="m", max_tokens=5, messages=messages))
