/** How a surface comes back, with the command that brings it so. */
export interface Mangling {
  readonly command: string
  shown(lines: readonly string[]): string
}

const each =
  (change: (line: string, at: number) => string): Mangling['shown'] =>
  (lines) =>
    lines.map(change).join('\n')
const way = (command: string, shown: Mangling['shown']): Mangling => ({ command, shown })

function wrapAt(width: number, line: string): string {
  const rows: string[] = []
  for (let from = 0; from < Math.max(1, line.length); from += width) rows.push(line.slice(from, from + width))
  return rows.join('\n')
}

const wrapWords = (width: number, line: string): string[] => {
  const rows = ['']
  for (const word of line.split(' ')) {
    const row = rows.at(-1) ?? ''
    if (row !== '' && row.length + word.length + 1 > width) rows.push(word)
    else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`
  }
  return rows
}

const wrapped = (width: number, lines: readonly string[]): string[] => lines.flatMap((line) => wrapWords(width, line))
const rows =
  (width: number, change: (row: string, at: number) => string, joint = '\n'): Mangling['shown'] =>
  (lines) =>
    wrapped(width, lines).map(change).join(joint)
const split = (prefix: string, width = 40) => rows(width, (row) => `${prefix}${row}`)

const number = (at: number, width: number): string => String(at + 1).padStart(width)

function hexDump(text: string): string {
  const bytes = Buffer.from(text)
  const rows: string[] = []
  for (let from = 0; from < bytes.length; from += 16) {
    const row = bytes.subarray(from, from + 16)
    const hex = row.toString('hex').replace(/(.{4})/g, '$1 ')
    const shown = [...row].map((byte) => (byte < 32 || byte > 126 ? '.' : String.fromCharCode(byte))).join('')
    rows.push(`${from.toString(16).padStart(8, '0')}: ${hex.padEnd(40)} ${shown}`)
  }
  return rows.join('\n')
}

export const MANGLINGS: Readonly<Record<string, Mangling>> = {
  wrapped_by_terminal: way(
    'cat docs/NOTES.md',
    each((line) => wrapAt(50, line)),
  ),
  wrapped_narrow: way(
    'cat docs/NOTES.md',
    each((line) => wrapAt(27, line)),
  ),
  folded: way(
    'fold -w 33 docs/NOTES.md',
    each((line) => wrapAt(33, line)),
  ),
  comment_hash: way('cat setup.cfg', split('# ')),
  comment_slashes: way('head -40 src/parser.c', split('    // ')),
  comment_block: way('head -40 src/parser.c', (lines) => `/*\n${split(' * ')(lines)}\n */`),
  comment_dashes: way('cat schema.sql', split('-- ')),
  comment_semicolons: way('cat conf/tool.ini', split('; ')),
  diff_plus: way('git show HEAD', (lines) => `@@ -1,2 +1,9 @@\n context\n${split('+')(lines)}`),
  diff_minus: way('git diff HEAD~1', (lines) => `@@ -1,9 +1,1 @@\n${split('-')(lines)}`),
  cat_n: way(
    'cat -n docs/NOTES.md',
    rows(40, (row, at) => `${number(at, 6)}\t${row}`),
  ),
  nl: way(
    'nl -ba docs/NOTES.md',
    rows(44, (row, at) => `${number(at, 6)}  ${row}`),
  ),
  arrow_numbers: way(
    'cat docs/NOTES.md',
    rows(40, (row, at) => `${number(at, 6)}→${row}`),
  ),
  colon_numbers: way(
    'open docs/NOTES.md',
    rows(40, (row, at) => `${at + 1}:${row}`),
  ),
  grep_prefix: way(
    "grep -n '' docs/NOTES.md docs/README.md",
    rows(40, (row, at) => `docs/NOTES.md:${at + 1}:${row}`),
  ),
  blame: way(
    'git blame docs/NOTES.md',
    rows(40, (row, at) => `4f1c22d0 (Kim 2026-03-01 10:00:00 +0100 ${number(at, 2)}) ${row}`),
  ),
  literal_newlines: way('jq . notes.json', (lines) => `{"notes": "${wrapped(40, lines).join('\\n')}"}`),
  python_repr: way(
    'python3 -c "print(repr(open(\'docs/NOTES.md\').read()))"',
    (lines) => `'${wrapped(40, lines).join('\\n')}'`,
  ),
  escaped_json: way('cat log.json', (lines) =>
    JSON.stringify({ message: JSON.stringify(wrapped(40, lines).join('\n')) }),
  ),
  hex_dump: way('xxd docs/NOTES.md', (lines) => hexDump(lines.join('\n'))),
  upper_case: way(
    "tr 'a-z' 'A-Z' < docs/NOTES.md",
    each((line) => line.toUpperCase()),
  ),
  boxed: way(
    './show-notes',
    rows(40, (row) => `│ ${row.padEnd(40)} │`),
  ),
  quoted_mail: way('cat mail.txt', split('> ')),
  nested_quote: way('cat mail.txt', split('> > ')),
  log_prefix: way('docker logs app', split('2026-03-04T10:00:00.000Z INFO  ', 44)),
  cat_a: way(
    'cat -A docs/NOTES.md',
    rows(40, (row) => `${row}$`),
  ),
  stretched: way(
    'cat docs/NOTES.md',
    each((line) => line.replaceAll(' ', '  ')),
  ),
  carriage_returns: way('cat docs/NOTES.md', (lines) => wrapped(40, lines).join('\r\n')),
}
