import { cutName, type Json, type Reading } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'

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
