# Says what a command does, with the seconds since it began. Sourced by the launcher and by the scripts beside this file.
# In a pipe, a step is one line, printed when it begins; on a terminal, its last line is a running clock.
: "${NUMALEDGER_STARTED:=$(date +%s)}"
export NUMALEDGER_STARTED
current='' began=0 clock=

elapsed() {
  echo $(($(date +%s) - NUMALEDGER_STARTED))
}

# step TEXT: ends the step before.
step() {
  end_step
  current=$1 began=$(elapsed)
  if [ -t 2 ]; then
    # Ends with its shell, which a signal may end without a trap.
    while kill -0 $$ 2>/dev/null; do
      for turn in '|' / - '\'; do
        printf '\r\033[K%5d s  %s %s' "$(elapsed)" "$current" "$turn" >&2
        sleep 0.25
      done
    done &
    clock=$!
  else
    printf '%5d s  %s\n' "$began" "$current" >&2
  fi
}

end_step() {
  [ -n "$clock" ] || return 0
  kill "$clock" 2>/dev/null || true
  wait "$clock" 2>/dev/null || true
  clock=
  printf '\r\033[K%5d s  %s\n' "$began" "$current" >&2
}

# say TEXT: a line of its own.
say() {
  end_step
  printf '%5d s  %s\n' "$(elapsed)" "$1" >&2
}
