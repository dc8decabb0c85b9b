import type { Harness, Turn } from '../../harness-logs/turn.ts'

export type Json = Record<string, unknown>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const recordsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** The value with `more` behind its text: a string, or a list whose first text block takes it. Null: it holds no text. */
function withText(value: unknown, more: string): unknown {
  if (typeof value === 'string') return `${value}\n${more}`
  const blocks = recordsOf(value)
  const at = blocks.findIndex((block) => typeof block['text'] === 'string')
  return at === -1
    ? null
    : blocks.map((block, index) => (index === at ? { ...block, text: `${block['text']}\n${more}` } : block))
}

/** How the log of a harness is taken apart: its list of entries, where one brings output, and how planted entries fit in. */
interface Log {
  /** The member of the document that holds the entries; of several, the first that is a list. */
  readonly members: readonly string[]
  /** The entry with the surface behind its output; null where it brings none. */
  shows(entry: Json, surface: string): Json | null
  /** Entries of the harness’s own document that are no turns: head and task. */
  readonly head: number
  /** Makes planted entries fit behind `after`, and what follows fit behind them. */
  fit?(planted: Json[], after: Json, rest: Json[], before: Json[]): Json[]
  /** The whole list once more. */
  finish?(entries: Json[]): Json[]
}

const changed = (entry: Json, member: string, surface: string): Json | null => {
  const value = withText(entry[member], surface)
  return value === null ? null : { ...entry, [member]: value }
}

/** The first block of a list that takes the surface, changed. */
function inList(value: unknown, change: (one: Json) => Json | null): Json[] | null {
  const list = recordsOf(value)
  for (const [at, one] of list.entries()) {
    const made = change(one)
    if (made !== null) return list.with(at, made)
  }
  return null
}

const CLAUDE: Log = {
  members: ['records'],
  head: 1,
  shows(entry, surface) {
    const message = entry['message']
    if (entry['type'] !== 'user' || !isRecord(message)) return null
    const content = inList(message['content'], (block) =>
      block['type'] === 'tool_result' && block['is_error'] !== true ? changed(block, 'content', surface) : null,
    )
    return content === null ? null : { ...entry, message: { ...message, content } }
  },
  fit(planted, after, rest) {
    const kept = [
      'sessionId',
      'session_id',
      'isSidechain',
      'agentId',
      'cwd',
      'timestamp',
      'userType',
      'version',
    ] as const
    const shared = Object.fromEntries(kept.filter((key) => key in after).map((key) => [key, after[key]]))
    const dropped = kept.filter((key) => !(key in after))
    const own = planted.map((entry, at) => {
      const given = { ...entry, ...shared, ...(at === 0 && { parentUuid: after['uuid'] ?? null }) }
      return Object.fromEntries(Object.entries(given).filter(([key]) => !dropped.some((one) => one === key)))
    })
    const last = own.at(-1)?.['uuid']
    return [
      ...own,
      ...rest.map((one) => (one['parentUuid'] === after['uuid'] && after['uuid'] ? { ...one, parentUuid: last } : one)),
    ]
  },
}

const sameTime = (planted: Json[], after: Json, rest: Json[]): Json[] => [
  ...planted.map(({ timestamp, ...entry }) => ({
    ...entry,
    ...('timestamp' in after && { timestamp: after['timestamp'] ?? timestamp }),
  })),
  ...rest,
]

const CODEX: Log = {
  members: ['records'],
  head: 3,
  shows(entry, surface) {
    const payload = entry['payload']
    if (!isRecord(payload) || payload['type'] !== 'function_call_output') return null
    const made = changed(payload, 'output', surface)
    return made === null ? null : { ...entry, payload: made }
  },
  fit: sameTime,
}

const GEMINI: Log = {
  members: ['messages'],
  head: 1,
  shows(entry, surface) {
    const calls = inList(entry['toolCalls'], (call) => {
      const result = inList(call['result'], (one) => {
        const answer = one['functionResponse']
        const response = isRecord(answer) ? answer['response'] : null
        const made = isRecord(response) ? changed(response, 'output', surface) : null
        return made === null || !isRecord(answer) ? null : { ...one, functionResponse: { ...answer, response: made } }
      })
      return result === null ? null : { ...call, result }
    })
    return calls === null ? null : { ...entry, toolCalls: calls }
  },
  fit: sameTime,
}

const OPENHANDS: Log = {
  members: ['history', 'events', 'records'],
  head: 1,
  shows: (entry, surface) =>
    typeof entry['observation'] === 'string' && ['run', 'read', 'run_ipython'].includes(entry['observation'])
      ? changed(entry, 'content', surface)
      : null,
  fit(planted, after, rest) {
    const first = Number(after['id']) + 1
    const more = planted.length
    const moved = (id: unknown): unknown => (typeof id === 'number' && id >= first ? id + more : id)
    const numbered = planted.map((entry, at) => ({
      ...entry,
      id: first + at,
      ...('cause' in entry && { cause: first + at - 1 }),
    }))
    return sameTime(
      numbered,
      after,
      rest.map((one) => ({ ...one, id: moved(one['id']), ...('cause' in one && { cause: moved(one['cause']) }) })),
    )
  },
}

const SWE: Log = {
  members: ['trajectory'],
  head: 0,
  shows: (entry, surface) =>
    String(entry['action'] ?? '').trim() === '' ? null : changed(entry, 'observation', surface),
}

const MINI: Log = {
  members: ['messages', 'records'],
  head: 2,
  shows: (entry, surface) =>
    entry['role'] === 'user' && JSON.stringify(entry['content']).includes('<returncode>')
      ? changed(entry, 'content', surface)
      : null,
  fit(planted, _after, rest, before) {
    const marked = JSON.stringify(before).includes('```mswea_bash_command')
    const fenced = (entry: Json): Json =>
      marked ? { ...entry, content: String(entry['content']).replace('```bash', '```mswea_bash_command') } : entry
    return [...planted.map(fenced), ...rest]
  },
}

const ATIF: Log = {
  members: ['steps'],
  head: 1,
  shows(entry, surface) {
    const observation = entry['observation']
    if (entry['source'] !== 'agent' || !isRecord(observation) || recordsOf(entry['tool_calls']).length === 0)
      return null
    const results = inList(observation['results'], (result) => changed(result, 'content', surface))
    return results === null ? null : { ...entry, observation: { ...observation, results } }
  },
  fit: (planted, after, rest) =>
    sameTime(
      planted.map((entry, at) => withTokens(entry, after, at)),
      after,
      rest,
    ),
  finish: (steps) => steps.map((step, at) => ({ ...step, step_id: at + 1 })),
}

/** Each planted step is a reply of its own: its request has more tokens than that of the step before. */
function withTokens(entry: Json, after: Json, at: number): Json {
  const { metrics } = after
  const tokens = isRecord(metrics) ? metrics['prompt_tokens'] : null
  if (typeof tokens !== 'number' || entry['source'] !== 'agent') return entry
  return { ...entry, metrics: { prompt_tokens: tokens + 100 * (at + 1), completion_tokens: 40 } }
}

const LOGS: Readonly<Record<string, Log>> = {
  'claude-code': CLAUDE,
  codex: CODEX,
  'gemini-cli': GEMINI,
  openhands: OPENHANDS,
  'swe-agent': SWE,
  'mini-swe-agent': MINI,
}

/** The run with the surface behind an output in its middle, and the turns right after it. Null where no output could bring it. */
export function plant(document: Json, harness: Harness, surface: string, turns: readonly Turn[]): Json | null {
  const log = LOGS[harness.id] ?? ATIF
  const member = log.members.find((name) => Array.isArray(document[name]))
  if (member === undefined) return null
  const entries = recordsOf(document[member])
  const places = entries.flatMap((entry, at) => {
    const shown = log.shows(entry, surface)
    return shown === null ? [] : [{ at, shown }]
  })
  const place = places[Math.floor(places.length / 2)]
  // Without acts behind it, nobody reads the last output of a run.
  if (place === undefined || (turns.length === 0 && place.at === entries.length - 1)) return null
  const own = harness.document('', turns)
  const planted = recordsOf(own[log.members.find((name) => name in own) ?? member]).slice(log.head)
  const before = [...entries.slice(0, place.at), place.shown]
  const rest = entries.slice(place.at + 1)
  const all = [...before, ...(log.fit?.(planted, place.shown, rest, before) ?? [...planted, ...rest])]
  return { ...document, [member]: log.finish?.(all) ?? all }
}
