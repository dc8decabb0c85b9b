import { cutName, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'

interface First {
  readonly path: string
  readonly record: Json
  /** The record as text: made at the first repetition only. */
  text: string | null
}

/** Tells which records of a session are copies, and where a conversation was wound back: records form a tree by `parentUuid`. */
export class ClaudeLineage {
  readonly #reading: Reading
  readonly #firsts = new Map<string, First>()
  readonly #followers = new Map<string, string>()

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Whether the record stands earlier in the file already, word for word. */
  isRepeated(record: Json, path: string): boolean {
    const uuid = asText(record['uuid'])
    if (uuid === null) return false
    const first = this.#firsts.get(uuid)
    if (first === undefined) {
      this.#firsts.set(uuid, { path, record, text: null })
      return false
    }
    first.text ??= JSON.stringify(first.record['message'])
    if (first.text === JSON.stringify(record['message'])) {
      this.#reading.warnOnce(path, 'a copy of an earlier record; shown once')
      return true
    }
    this.#reading.warn(`${path}/uuid`, `${first.path} has this uuid as well, with another message; both are shown`)
    return false
  }

  /** Two prompts or replies that follow one record are two branches: the agent no longer saw the first in the second. */
  follow(record: Json, path: string): void {
    const parent = asText(record['parentUuid'])
    if (parent === null || record['isSidechain'] === true || isResult(record)) return
    const key = (isRecord(record['message']) ? asText(record['message']['id']) : null) ?? asText(record['uuid']) ?? path
    const other = this.#followers.get(parent)
    if (other === undefined) this.#followers.set(parent, key)
    else if (other !== key)
      this.#reading.warn(`${path}/parentUuid`, 'the conversation was wound back to here; both branches are shown')
  }
}

const isResult = ({ message }: Json): boolean =>
  isRecord(message) &&
  Array.isArray(message['content']) &&
  message['content'].some((block) => isRecord(block) && block['type'] === 'tool_result')

/** Tools that let another agent run. */
const DELEGATES: ReadonlySet<string> = new Set(['Agent', 'Task'])

/** The subagents that ran, as the harness notes at the results of their calls: newer versions write what they did into files of their own. */
export class StartedSubagents {
  readonly #started: { readonly agent: string; readonly call: string; readonly path: string }[] = []

  note(tool: string, block: Json, record: Json, path: string): void {
    const agent = asText(asRecord(record['toolUseResult'] ?? record['tool_use_result'])['agentId'])
    if (agent !== null && DELEGATES.has(tool))
      this.#started.push({ agent, call: asText(block['tool_use_id']) ?? '', path })
  }

  /** `isRead`: whether the document has records of the subagent of that name or call. */
  warnOfUnread(reading: Reading, isRead: (name: string) => boolean): void {
    for (const { agent, call, path } of this.#started)
      if (!isRead(agent) && !isRead(call))
        reading.unread(path, `what the subagent ${cutName(agent)} did stands in another file, not read here`, true)
  }
}
