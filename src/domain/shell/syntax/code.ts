import { whatRuns } from './code-blocks.ts'
import { CodeScan, type Literal, type Statement } from './code-scan.ts'

/** What code in another language holds, told apart so far as that needs no grammar of it. */
interface Code {
  /** Lines that do something, without comments. */
  readonly live: string
  /** Comments, and lines that only print. */
  readonly told: string
  /** Lines of which it is not known whether they run, and those that look for something or start a process: `commands` says what that does. */
  readonly doubtful: string
  /** What is printed by itself. */
  readonly printed: readonly string[]
  /** Shell commands that it starts: as one string, or as words. */
  readonly commands: readonly Started[]
}

type Command = string | readonly string[]
interface Started {
  readonly command: Command
  readonly sure: boolean
}

const PRINTING = (
  'print(|print |console.log(|console.error(|console.info(|console.warn(|puts |say |display |echo |' +
  'logging.|logger.|log.info(|log.debug(|warnings.warn(|\\echo '
).split('|')
/** Statements of SQL, and commands of its shells, that only show. */
const QUERIES = (
  'with |get |keys |scan |ttl |exists |hget |hgetall |select |show |explain |describe |pragma |.schema|' +
  '.tables|.dump|\\d|\\l'
).split('|')
/** A query that holds these may write. */
const WRITING = [' into ', 'update ', 'delete ', 'insert ', 'load_extension', 'pg_', 'dblink', 'lo_export', 'analyze']
const STARTING = (
  'subprocess|os.system|os.popen|os.exec|execSync|exec(|execFile|spawn|popen|Popen|check_call|check_output|' +
  'system(|system |shell_exec|sh.|pexpect|Deno.Command|`|%x|run(|pty.'
).split('|')
/** Elsewhere a backtick is a text (JavaScript) or a name (SQL). */
const BACKTICK_RUNS = new Set(['ruby', 'perl', 'php'])
/** A line that prints into a file. */
const PRINTS_INTO = /\bfile\s*=|^(?:print|say)\s+(?:\{\s*)?\$?[A-Za-z_]\w*\s*\}?\s+["'$@]/u
/** What may be called in what is printed: it makes a text of its values. */
const HARMLESS =
  /(?:^|[.\s(,+])(?:print|log|error|info|warn|debug|warning|puts|say|display|echo|str|len|repr|format|join|json|dumps|stringify|sorted|list|dict|int|round|type|range|strip|upper|lower|String)\s*\($/u
const CALL = /[\w$\])!?]\s*\(/gu
/** A statement that only looks for its literals, where it does nothing else. */
const LOOKING =
  /(?:\b(?:find|rfind|findall|finditer|fullmatch|search|match|count|index|indexOf|includes|startswith|endswith|startsWith|endsWith|split|test|replace|replaceAll|sub|gsub|removeprefix|filter|grep|assert\w*|expect|patch)\s*\(|\bassert\b|\bin\b|!=|!~)/u
const CHANGING =
  /\b(?:open|write\w*|append\w*|send\w*|post|put|delete|request\w*|fetch|urlopen|urlretrieve|save\w*|dump\w*|unlink\w*|remove\w*|rename\w*|copy\w*|mkdir\w*|execute\w*|insert\w*|update\w*|set\w*|create\w*|connect\w*|install\w*|get)\s*\(/u
const LINE_COMMENTS: Readonly<Record<string, readonly string[]>> = {
  js: ['//'],
  sql: ['--'],
  lua: ['--'],
  php: ['//', '#'],
  applescript: ['--'],
}

/** Reads code statement by statement; a statement ends with its line, or with the bracket that is open at the end of it. Linear. */
export function readCode(code: string, language: string): Code {
  const live: string[] = []
  const told: string[] = []
  const doubtful: string[] = []
  const commands: Started[] = []
  const printed: string[] = []
  const statements = [...new CodeScan(code, LINE_COMMENTS[language] ?? ['#'], language === 'js').statements(told)]
  const running = whatRuns(statements, language)
  for (const [at, statement] of statements.entries()) {
    const runs = running[at] ?? 'unsure'
    const words = startingWords(statement.text, language)
    const isPrint = prints(statement)
    if (runs === 'never' || (words.length === 0 && saysOnly(statement, isPrint, language))) told.push(statement.text)
    else if (runs === 'yes' && words.length === 0 && !looks(statement, isPrint)) live.push(statement.text)
    else doubtful.push(statement.text)
    if (runs === 'never') continue
    if (isPrint) printed.push(...statement.literals.map((literal) => literal.text))
    const sure = runs === 'yes' && !CHOOSING.test(statement.bare)
    commands.push(...startedIn(statement, words).map((command) => ({ command, sure })))
  }
  const isDone = changesAnything(live, language)
  return {
    live: isDone ? live.join('\n') : '',
    told: told.join('\n'),
    doubtful: [...doubtful, ...(isDone ? [] : live)].join('\n'),
    printed,
    commands,
  }
}

/** `a if b else c`, `b ? a : c`: only one of the two is done. */
const CHOOSING = /\sif\s[^:]{1,200}\selse\b|\?[^.?:]{1,200}:/u

/** Words by which the statement may start a process. */
const startingWords = (text: string, language: string): readonly string[] =>
  STARTING.filter((word) => (word !== '`' || BACKTICK_RUNS.has(language)) && text.includes(word))

/** Where nothing is changed or sent, values only stand there. */
const changesAnything = (live: readonly string[], language: string): boolean =>
  language === 'sql' || live.some((one) => CHANGING.test(one))

function prints({ text }: Statement): boolean {
  const start = text.trimStart()
  return PRINTING.some((word) => start.startsWith(word)) && !PRINTS_INTO.test(start.slice(0, LONGEST_HEAD))
}

const saysOnly = (statement: Statement, isPrint: boolean, language: string): boolean =>
  isOnlyText(statement.text.trimStart(), statement.literals) ||
  (language === 'sql' && isQuery(statement.text.trimStart())) ||
  (isPrint && !calls(statement))

/** Whether what is printed is got by doing something. */
function calls({ bare, filled }: Statement): boolean {
  const text = `${bare}${filled}`.slice(0, LONGEST_PRINT)
  for (const { index, 0: call } of text.matchAll(CALL)) {
    const end = index + call.length
    if (!HARMLESS.test(text.slice(Math.max(0, end - 40), end))) return true
  }
  return bare.length + filled.length > LONGEST_PRINT
}

const LONGEST_HEAD = 200
const LONGEST_PRINT = 4000

/** Whether it looks for its literals, or prints what something gives: also what a file holds that is opened to be read. */
const looks = ({ bare }: Statement, isPrint: boolean): boolean =>
  isPrint ? !CHANGING.test(bare.replace(OPENED, '')) : LOOKING.test(bare)

/** A file that is opened with nothing said of how. */
const OPENED = /(?<![.\w])open\([^(),]{0,200}\)/gu

function isQuery(statement: string): boolean {
  const text = statement.toLowerCase()
  return QUERIES.some((word) => text.startsWith(word)) && !WRITING.some((word) => text.includes(word))
}

/** A statement that is one literal is a comment in all but name. */
const isOnlyText = (statement: string, literals: readonly Literal[]): boolean =>
  literals.length === 1 && statement.trimEnd().length === (literals[0]?.text.length ?? 0) + 2

/** What is called `run` or `exec` elsewhere starts no process. */
const FOREIGN = /[\w)]$/u
const PROCESS = /subprocess|child_process|\b(?:sp|cp)\./u

/** The first literal behind a word that starts a process is its command; literals of one list are its words. */
function startedIn({ text, literals }: Statement, words: readonly string[]): Command[] {
  const places = words.flatMap((word) => placesOf(text, word)).sort((a, b) => a - b)
  const found: Command[] = []
  let next = 0
  for (const [index, place] of places.entries()) {
    while (next < literals.length && (literals[next]?.at ?? 0) < place) next++
    const end = places[index + 1] ?? text.length
    const group: Literal[] = []
    for (let at = next; at < literals.length && (literals[at]?.at ?? 0) < end; at++) {
      const literal = literals[at]
      if (literal !== undefined && !literal.isSetting) group.push(literal)
    }
    if (group.length > 0) found.push(...commandsIn(group))
  }
  return found
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const isOften = word === 'run(' || word === 'exec('
    const before = text.slice(Math.max(0, at - 1), at)
    if (!isOften || !(FOREIGN.test(before) || before === '.') || PROCESS.test(text.slice(Math.max(0, at - 60), at)))
      places.push(at)
  }
  return places
}

function commandsIn(literals: readonly Literal[]): Command[] {
  const [first] = literals
  if (first === undefined) return []
  const end = literals.findIndex((one, at) => at > 0 && !one.listed)
  const listed = literals.slice(first.listed ? 0 : 1, end === -1 ? undefined : end).map((one) => one.text)
  if (first.listed) return [listed]
  const words = listed.length > 0 ? listed : literals.slice(1).map((one) => one.text)
  return [first.text, ...(words.length > 0 ? [[first.text, ...words]] : [])]
}
