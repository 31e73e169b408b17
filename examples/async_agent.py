"""An agent as an async class: PYTHONPATH=examples pytest legs/ --aar-agent=async_agent:Racer."""


class Racer:
    how_to_call = "Call the tools by function calling; at the end reply with the digit alone."

    async def run(self, envelope, course, limits):
        task = (await course.http.get("task")).json()
        tools = [{"type": "function", "function": tool} for tool in task["tools"]]
        talk = [{"role": "user", "content": course.prompt}]
        while True:
            body = {"model": course.model, "messages": talk, "tools": tools}
            reply = await course.http.post("openai/v1/chat/completions", json=body)
            talk.append(message := reply.json()["choices"][0]["message"])
            if not message.get("tool_calls"):
                return message["content"]
            for call in message["tool_calls"]:
                used = call["function"]
                result = await course.http.post(f"tools/{used['name']}", content=used["arguments"])
                talk.append({"role": "tool", "tool_call_id": call["id"], "content": result.text})
