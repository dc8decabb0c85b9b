import { readTables } from '../tables.ts'

type Row = Readonly<Record<string, unknown>>
type Answered = [name: string, answer: Row | null, outcome: string]

/** Words of Claude Code for a call that the user turned down: `REJECTED` of the table. */
export const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

interface Outcomes extends Record<'claude-code' | 'gemini-cli' | 'openhands-sdk' | 'cursor', Answered[]> {
  readonly codex: [name: string, output: unknown, events: Row[], outcome: string][]
  readonly 'codex-exec': [item: Row, end: Row, outcome: string][]
  readonly openhands: [name: string, args: Row, answer: Row | null, outcome: string][]
  readonly atif: [agent: string, content: string, step: Row, result: Row, outcome: string][]
}

const filledIn = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace('REJECTED', REJECTED).replace('ROWS', 'row\n'.repeat(400)) : value

export const OUTCOMES: Outcomes = JSON.parse(JSON.stringify(readTables('formats/tables/outcomes')), filledIn)
