"""A script on the openai package: the race sets OPENAI_BASE_URL, nothing else is special."""

import json
import subprocess
from pathlib import Path

from openai import OpenAI

COMMAND = {"type": "object", "properties": {"command": {"type": "string"}}}
BASH = {"type": "function", "function": {"name": "bash", "parameters": COMMAND}}
model, talk = OpenAI(), [{"role": "user", "content": Path("task.md").read_text()}]
while not Path("answer.txt").exists():
    reply = model.chat.completions.create(model="any", messages=talk, tools=[BASH])
    talk.append(message := reply.choices[0].message)
    for call in message.tool_calls or []:
        command = json.loads(call.function.arguments)["command"]
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        talk.append({"role": "tool", "tool_call_id": call.id, "content": done.stdout + done.stderr})
    if not message.tool_calls:
        break
