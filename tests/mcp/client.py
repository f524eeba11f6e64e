"""A client by the official SDK: starts a server, and makes the calls that come in, one JSON object a line.

    client.py PROGRAM ARGUMENT...

Each line in is {"tool": NAME, "arguments": {...}}, {"list": true} or {"read": URI}; each line out what came of it, with the
milliseconds that it took.
"""

import asyncio
import json
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=None)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            for line in sys.stdin:
                asked = json.loads(line)
                begin = time.perf_counter()
                try:
                    if "tool" in asked:
                        answer = await session.call_tool(asked["tool"], asked["arguments"])
                    elif "read" in asked:
                        answer = await session.read_resource(asked["read"])
                    else:
                        answer = await session.list_tools()
                    answer = answer.model_dump(mode="json", by_alias=True)
                except Exception as error:
                    answer = {"failed": str(error)}
                answer["ms"] = (time.perf_counter() - begin) * 1000
                print(json.dumps(answer), flush=True)


asyncio.run(main())
