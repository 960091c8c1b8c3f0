#!/usr/bin/env bash
# Runs commands of the policy corpus inside a sandbox, each in a folder of its own, and reports the output of each as an
# MCP notification. Arguments: the folder of the commands and of their list, the seconds each may take, the home folder to
# attack, and a copy from which that folder is restored after each command ('' if the sandbox does not show it).
cases=$1 seconds=$2 template=$4 work=$PWD
export HOME=$3
ulimit -c 0
# Commands of the corpus signal every process they can.
trap '' HUP INT QUIT TERM

report() {
  printf '{"jsonrpc":"2.0","method":"notifications/case","params":{"id":"%s","changed":%s,"output":"%s"}}\n' "$1" "$2" "$3"
}

restore() {
  chmod -R u+rwX "$HOME"
  find "$HOME" -mindepth 1 -not -path '*/share/toolyard*' -delete
  cp -a "$template/." "$HOME/"
}

run() {
  local changed=false
  mkdir -p "$work/$1" && cp -R "$cases/project/." "$work/$1" && cd "$work/$1" || return
  # Commands delete files of others: the output is read through the descriptor.
  exec 7<>"$(mktemp)"
  (ulimit -f 1024 && exec timeout -s KILL "$seconds" bash "$cases/$1.sh") </dev/null >&7 2>&1
  cat </proc/self/fd/7 >output
  if [ -n "$template" ] && ! diff -rq -x toolyard --no-dereference "$template" "$HOME" >/dev/null; then
    changed=true
    restore
  fi
  # No more than a pipe holds: commands can make it one that does not block.
  report "$1" "$changed" "$(head -c 40000 </proc/self/fd/7 | base64 -w0)"
}

exec 2>/dev/null
while read -r id <&8; do run "$id"; done 8<"$cases/list"
# The temporary folder ends with the sandbox. Larger files are mounted: a command can write 1 MiB.
find /tmp -xdev -type f -size -1100k -exec cat {} + >"$work/temporary"
report end false ''
# The reader closes the input once it has read everything.
read -r
