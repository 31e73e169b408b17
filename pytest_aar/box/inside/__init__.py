"""The command server of a box: runs an agent's commands and outlives none of them.

Started with `python -I -S -B` on this folder alone, so it imports only the standard library, and little of it;
the plugin imports `frames` to talk to it. Standard input is a socket to the plugin: requests come in, results
go out, and its end ends everything here. In the box `bwrap` this is the first process of the namespace:
nothing inside can stop or kill it. In the box `none` it is the reaper of every orphan below it (Linux).
"""
