/** Names each command that was removed, with its replacement. */
const REMOVED_COMMANDS: Readonly<Record<string, string>> = {
  'migrate-store':
    '`veridict export --out FILE` writes the old store, `veridict import FILE` reads FILE into the new one',
  appendix: '`veridict results BATCH -o bundle` writes results, receipts, raw replies, rubrics and digests',
  restore:
    'a backup is a database file: stop the service, copy the file to VERIDICT_DATABASE, remove its -wal and -shm files, run `veridict doctor`',
}

const LABELLED =
  'write its items with `npm run --silent labelled -- KIND FOLDER > items.ndjson` in the repository, and validate that file'

/** Names each option, and each first argument of a command, that was removed (`batch --export`), with its replacement. */
const REMOVED_OPTIONS: Readonly<Record<string, string>> = {
  'keys create --project': 'a service has one database; make the key in the database of the project',
  'backup --all-projects': 'back up each file by itself: `veridict backup FILE --database DATABASE`',
  'batch --new': 'every `veridict batch` begins a new batch; `veridict resume BATCH` goes on with an earlier one',
  'regrade --new': 'every `veridict regrade` begins a new batch; `veridict resume BATCH` goes on with an earlier one',
  'validate --new': 'every `veridict validate` begins a new batch',
  'doctor --full': 'every examination runs `integrity_check`',
  'doctor -o': 'read the exit code: 2 warnings, 3 errors',
  'doctor --output': 'read the exit code: 2 warnings, 3 errors',
  'backup --force': 'give the name of a new file, or remove the old file first',
  'audit-markers --all': '`-o ndjson` lists the ok rows, too',
  'audit-markers --base':
    'audit each variant by itself; `veridict report --group-by variant` compares what reached the agent',
  'rubric --json': 'the file rubric.yaml has the claims, `veridict rubrics -o ndjson` the list',
  'rubric --prompt': '`veridict rubric show NAME` prints the prompt',
  'validate --save': 'write the certificate with `-o json --out FILE`',
  'validate who-and-when': LABELLED,
  'validate agentrx': LABELLED,
  'validate assebench': LABELLED,
  'validate assebench-planted': LABELLED,
}

/** Returns the sentence for a removed command or option among the typed words, or null where all words are in use. */
export function removedWord(args: readonly string[]): string | null {
  const command = args[0] ?? ''
  const replacement = REMOVED_COMMANDS[command]
  if (replacement !== undefined) return `\`veridict ${command}\` was removed: ${replacement}`
  for (const word of args.slice(1)) {
    if (word === '--') break
    const option = word.split('=', 1)[0] ?? ''
    const instead = option.startsWith('--') || word === args[1] ? REMOVED_OPTIONS[`${command} ${option}`] : undefined
    if (instead !== undefined) return `\`veridict ${command} ${option}\` was removed: ${instead}`
  }
  return null
}
