import type { ActOutcome } from '../../domain/acts/act.ts'
import { harnessOf } from '../tools/lookup.ts'
import { exitCodeSaid, LONGEST_WORDS, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import { leavesOf } from './json-tree.ts'
import { isAbsent, isRecord, type Json } from './reading.ts'
import type { StepCall } from './tool-calls.ts'

/** What the converters of ATIF write where they tell how a call ended. */
const STATUSES: Readonly<Record<string, ActOutcome>> = {
  ...{ success: 'ran', completed: 'ran', ok: 'ran', done: 'ran' },
  ...{ error: 'failed', failed: 'failed', failure: 'failed' },
  ...{ rejected: 'rejected', denied: 'rejected', declined: 'rejected', blocked: 'rejected' },
  ...{ cancelled: 'cancelled', canceled: 'cancelled', interrupted: 'interrupted', aborted: 'interrupted' },
  ...{ pending: 'cancelled', awaiting_approval: 'cancelled', running: 'interrupted', timeout: 'interrupted' },
}
/** Harbor's converter of Claude Code ends a result that was an error in this. */
const FAILURE = '[error] tool reported failure'

interface ToldResult {
  readonly result: Json
  /** `extra` of the step, where its one call is meant. */
  readonly step: unknown
  readonly call: StepCall
  readonly agent: string
  readonly exitCode: number | null
}

/** What became of the call that a result answers: what the file's fields say, then what its harness says in its own words. */
export function outcomeOf({ result, step, call, agent, exitCode }: ToldResult): ActOutcome {
  let status: ActOutcome | undefined
  let noted: boolean | undefined
  for (const note of [result['extra'], call.extra, step]) {
    if (!isRecord(note)) continue
    status ??= statusOf(note)
    noted ??= flagOf(note)
  }
  if (status !== undefined && status !== 'failed') return status
  const text = textOf(result['content'])
  const flag = status === 'failed' ? true : noted
  const harness = harnessOf(agent)
  // A program that fails is an error, too, and only these put words of their own before what it printed.
  const isSure = flag === false || harness === 'claude-code' || harness === 'gemini-cli'
  // The words of a server's tool are its own: it could say that it was turned down.
  const isServers = call.call.tool.startsWith('mcp__') && harness !== null
  const said = isServers ? 'ran' : outcomeOfAgent(agent, call.call.tool, text, isSure ? (flag ?? null) : null)
  const told = said === 'ran' && flag === true ? 'failed' : said
  // A program can print the mark, too: it says that something went wrong, not that nothing ran.
  const isMarked = told === 'ran' && flag === undefined && harness === 'claude-code' && text.endsWith(FAILURE)
  return flag === false ? told : outcomeWithCode(isMarked ? 'failed' : told, exitCode ?? exitCodeSaid(harness, text))
}

function statusOf(note: Json): ActOutcome | undefined {
  const { status } = note
  const word = typeof status === 'string' ? status.toLowerCase() : ''
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
}

function flagOf(note: Json): boolean | undefined {
  const { metadata } = note
  const flags = [note['tool_result_is_error'], note['is_error'], isRecord(metadata) ? metadata['is_error'] : undefined]
  return flags.find((flag) => typeof flag === 'boolean')
}

/**
 * What a result says of its call: its text; of blocks or of whatever else it is, every text, a line each, where they are short enough to be words
 * of a harness; else the text of the first block.
 */
export function wordsOf(content: unknown): string {
  if (isAbsent(content)) return ''
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? content.map((block: unknown) => textOf([block])) : []
  const texts = blocks.some((text) => text !== '') ? blocks : leavesOf(content).map(({ text }) => text)
  const words = texts.join('\n')
  return words.length > LONGEST_WORDS ? textOf(content) : words
}

/** The text of a result, or of its first block. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const [first] = Array.isArray(content) ? content : []
  return isRecord(first) && typeof first['text'] === 'string' ? first['text'] : ''
}
