/** One statement, for finding out whether it runs. */
export interface Block {
  /** The statement with its literals empty, and with the blanks before it. */
  readonly bare: string
  /** Its literals that have a brace, which may hold code that fills them in. */
  readonly filled: string
  /** It stands behind another one on its line. */
  readonly continues: boolean
}

/** `never`: a condition that is false stands before it; `unsure`: behind another condition, in a function that nothing calls, or behind an exit. */
type Runs = 'yes' | 'unsure' | 'never'

const INDENTED: ReadonlySet<string> = new Set(['python', 'ruby'])
const FUNCTION =
  /(?:^|[\s;{(])(?:def|function|sub|fn|func)\*?\s+(?:self\.)?([A-Za-z_$][\w$]*)|^\s*(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\([\w$,\s]{0,200}\)\s*=>|[\w$]+\s*=>|lambda\b)/u
const LAMBDA = /^\s*([A-Za-z_]\w*)\s*=\s*lambda\b/u
const FALSE =
  /^(?:\}\s*)?(?:else\s+)?(?:if|elif|while)\b\s*\(?\s*(?:False|false|0|None|null|nil|undefined)\b\s*(?:\)?\s*(?::|\{|then\b|$)|\)\s*(?!or\b|and\b|is\b|in\b|not\b|if\b)\w)/u
/** A condition on the same line may keep a statement from leaving. */
const GUARD = String.raw`^(?:(?:if|unless)\b[^\n]{0,150}?[:{)]\s*)?`
const LEAVING = new RegExp(
  GUARD +
    String.raw`(?:(?:sys\.|os\.|process\.|Process\.)?_?(?:exit|quit|abort)!?\s*(?:\(|;|$)|raise\b|throw\b|die\b|return\b|assert\s+(?:False|0|1\s*==\s*2)\b|__END__)`,
  'u',
)
/** Leaves a function, and not all. */
const RETURNING = new RegExp(`${GUARD}return\\b`, 'u')

/** What opens a block of which it is not known whether it runs. */
const CONDITION =
  /^(?:\}\s*)?(?:if|elif|elsif|else|except|rescue|catch|case|when|default|switch|match|unless|while|until)\b/u
const CERTAIN = /^(?:\}\s*)?(?:if|while)\b\s*\(?\s*(?:__name__|True|true|1|require\.main|import\.meta)\b/u
const ELSE = /^(?:\}\s*)?else\s*[:{]/u
/** What a block holds that only runs when something went wrong. */
const HANDLER = /^(?:\}\s*)?(?:except|rescue|catch)\b/u
/** A block whose body stands on its own line: a colon or a bracket, and something behind it. */
const BODY = /(?::|\{|\bthen\b)\s*[^\s{}]/u
const BARE_HEAD = /(?:\)|\belse)\s*$/u
/** The same where no bracket opens it. */
const BARE_BODY = /^(?:if|while)\b\s*\([^{}]*\)\s*[A-Za-z_$]/u
/** A condition before a statement on its line, but for `or die`. */
const BEFORE = /^[^=;{]*(?:&&|\|\||\band\b|\bor\b)(?!\s*(?:die|exit|throw|raise|croak|abort)\b)/u
/** One behind it, where a language has such. */
const BEHIND = /\S\s+(?:if|unless)\b/u
const HAS_BEHIND: ReadonlySet<string> = new Set(['ruby', 'perl'])

interface Open {
  /** How far in it begins. */
  readonly depth: number
  readonly name: string | null
  readonly never: boolean
  readonly maybe: boolean
  readonly handles: boolean
}

/** Whether the statements run: each is asked once, each word is looked at once. */
export function whatRuns(blocks: readonly Block[], language: string): readonly Runs[] {
  if (language === 'sql') return blocks.map(() => 'yes')
  const { owners, never, maybe, handles } = ownersOf(blocks, language)
  const called = calledFrom(blocks, owners, never)
  const left = new Set<string | null>()
  return blocks.map(({ bare }, at) => {
    if (never[at] === true) return 'never'
    const owner = owners[at] ?? null
    const isDead = left.has(null) || left.has(owner) || (owner !== null && !called.has(owner))
    const head = bare.trimStart().slice(0, LONGEST_HEAD)
    if (handles[at] !== true && LEAVING.test(head)) left.add(owner !== null && RETURNING.test(head) ? owner : null)
    return isDead || maybe[at] === true ? 'unsure' : 'yes'
  })
}

interface Places {
  readonly owners: (string | null)[]
  readonly never: boolean[]
  readonly maybe: boolean[]
  readonly handles: boolean[]
}

function ownersOf(blocks: readonly Block[], language: string): Places {
  const indented = INDENTED.has(language)
  const stack: Open[] = []
  let isPending = false
  const places: Places = { owners: [], never: [], maybe: [], handles: [] }
  let depth = 0
  for (const { bare, continues } of blocks) {
    const text = bare.replace(/^[\n\r]+/u, '')
    const code = text.trimStart()
    const isLine = code !== '' && !(indented && continues)
    if (isLine && indented) depth = text.length - code.length
    const closed = isLine ? close(stack, indented ? depth : depth - closedBy(code)) : null
    const opened = openedBy(code.slice(0, LONGEST_HEAD), depth, closed?.never === true)
    const inside = stack.some((one) => one.maybe)
    if (opened !== null && stack.length < MOST_OPEN) stack.push(opened)
    places.owners.push(stack.findLast((one) => one.name !== null)?.name ?? null)
    places.never.push(stack.some((one) => one.never))
    places.maybe.push(inside || isPending || isConditional(code.slice(0, LONGEST_HEAD), opened, language))
    // Without a bracket the next statement is the body.
    isPending = !indented && opened?.maybe === true && BARE_HEAD.test(code)
    places.handles.push(stack.some((one) => one.handles))
    if (!indented) depth += text.split('{').length - text.split('}').length
  }
  return places
}

/** The outermost block that ends. */
function close(stack: Open[], depth: number): Open | null {
  let last: Open | null = null
  while ((stack.at(-1)?.depth ?? -1) >= depth) last = stack.pop() ?? null
  return last
}

/** Brackets that close before anything else stands. */
const closedBy = (code: string): number => (/^[\s}]*/u.exec(code)?.[0].split('}').length ?? 1) - 1

function openedBy(head: string, depth: number, isAfterNever: boolean): Open | null {
  const found = FUNCTION.exec(head) ?? LAMBDA.exec(head)
  const name = found?.[1] ?? found?.[2] ?? null
  const never = FALSE.test(head)
  const maybe = CONDITION.test(head) && !CERTAIN.test(head) && !(isAfterNever && ELSE.test(head))
  return name === null && !never && !maybe ? null : { depth, name, never, maybe, handles: HANDLER.test(head) }
}

/** The head of a block itself runs; what stands behind it on its line may not. */
const isConditional = (head: string, opened: Open | null, language: string): boolean =>
  opened?.maybe === true
    ? BODY.test(head) || BARE_BODY.test(head)
    : BEFORE.test(head) || (HAS_BEHIND.has(language) && BEHIND.test(head))

/** What begins a function or a condition stands in so many characters; the patterns above take longer for more. */
const LONGEST_HEAD = 200
const MOST_OPEN = 50

/** Functions that are named, directly or by others, in what runs. */
function calledFrom(
  blocks: readonly Block[],
  owners: readonly (string | null)[],
  never: readonly boolean[],
): ReadonlySet<string> {
  const byOwner = new Map<string | null, number[]>()
  for (const [at, owner] of owners.entries()) {
    if (never[at] === true) continue
    const places = byOwner.get(owner)
    if (places === undefined) byOwner.set(owner, [at])
    else places.push(at)
  }
  const called = new Set<string>()
  const waiting: (string | null)[] = [null]
  for (let owner = waiting.pop(); owner !== undefined; owner = waiting.pop())
    for (const at of byOwner.get(owner) ?? [])
      for (const [word] of wordsOf(blocks[at]))
        if (byOwner.has(word) && !called.has(word)) {
          called.add(word)
          waiting.push(word)
        }
  return called
}

const wordsOf = (block: Block | undefined) =>
  `${block?.bare ?? ''}${block?.filled ?? ''}`.matchAll(/[A-Za-z_$][\w$]*/gu)
