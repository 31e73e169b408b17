#!/bin/sh
# A racer without a model: reads the seed page and bets on its last digit.
# What an agent finds in its folder: task.md, tools.py. What it leaves there: answer.txt.
set -eu
seed=$(grep -o -m1 'https://[^ ]*/wiki/[^ ]*' task.md)
python3 tools.py fetch_webpage "{\"url\": \"$seed\"}" > page.md
digits=$(tr -cd '0-9' < page.md)
printf '%s\n' "${digits#"${digits%?}"}" > answer.txt
