import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { wordsOf } from '../common/content.ts'
import { isAbsent, isRecord, type Reading } from '../common/reading.ts'
import { type OpenStep, Session, settle } from '../common/session.ts'
import { addCall, type CallWords } from '../common/session-calls.ts'
import { readBlocks } from '../openai-chat/openai-chat-blocks.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { specOf } from '../tools/lookup.ts'
import { exitCodeInText, outcomeOfAgent, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'
import type { OpenCall, ToolTable } from '../tools/tool-table.ts'

/** A call of a library's user's own tool; its arguments are read by any table that knows the tool's name. */
interface DialogueCall extends Pick<CallWords, 'args' | 'path' | 'nameText'> {
  readonly id: unknown
  /** The tool's name; null where the file has no name. */
  readonly tool: string | null
  readonly namePath: string
}

/** The tool name of a call without a name. */
const NAMELESS = 'tool_call'

/**
 * Shared parts of the readers of libraries' messages (AI SDK, LangChain, Responses, Pydantic AI, verifiers): the steps of a session, with
 * the content blocks of any provider. Such a library has no tools of its own except `hosted`, so any table that knows a tool's name is
 * used.
 */
export class Dialogue {
  readonly session: Session
  readonly reading: Reading
  readonly #content: ChatSink

  constructor(reading: Reading, hosted: ToolTable = {}) {
    this.reading = reading
    this.session = new Session(reading, hosted)
    this.#content = new ChatSink(reading)
  }

  /** Adds text, or blocks as providers write them. No block is read as a call of the agent, whatever its form. */
  content(parts: Part[], actor: Actor, content: unknown, path: string, name: string): void {
    readBlocks(this.#content, content, path, { actor, name, parts, outputs: parts })
  }

  /** Adds a tool's output: text, blocks, or every leaf of another value. */
  output(parts: Part[], value: unknown, path: string, tool: string): void {
    if (isAbsent(value)) return
    const isContent = typeof value === 'string' || (Array.isArray(value) && value.every(isBlock))
    if (isContent) this.content(parts, 'tool_output', value, path, tool)
    else this.#content.leaves(parts, 'tool_output', value, path, tool)
  }

  /** Adds a call to a step, and registers it under its id for its result. */
  call(step: OpenStep, { id, tool, namePath, ...words }: DialogueCall): OpenCall {
    if (tool === null) this.reading.warn(namePath, 'a tool call must name its tool')
    const call = this.session.call(step, id, tool ?? NAMELESS)
    const spec = Object.hasOwn(this.session.tools, call.tool) ? undefined : specOf(null, call.tool)
    const at = tool === null && words.nameText === undefined ? null : namePath
    addCall(this.session, step.parts, { ...words, call, namePath: at, ...(spec !== undefined && { spec }) })
    return call
  }

  /** Adds a tool's result at its place. `isError`: the library's error flag; null where it has none. */
  answer(id: unknown, idPath: string, value: unknown, path: string, isError: boolean | null): void {
    const place = this.session.output(id, idPath, null)
    settle(place.call, outcomeOfOutput(place.tool, value, isError))
    this.output(place.parts, value, path, place.tool)
  }
}

const isBlock = (item: unknown): boolean => isRecord(item) && typeof item['type'] === 'string'

const CODES = ['exit_code', 'exitCode', 'returncode', 'return_code'] as const

/**
 * Derives the outcome of a call from its result. A library's flag of no error says nothing about the command that the tool ran. For an
 * object without an exit code or an error flag, its texts decide, as for a text.
 */
export function outcomeOfOutput(tool: string, value: unknown, isError: boolean | null): ActOutcome {
  if (isRecord(value)) {
    const code = CODES.map((name) => value[name]).find((code) => typeof code === 'number')
    const flag = isError === true || value['isError'] === true || (isError ?? value['isError'])
    const isFailure = typeof flag === 'boolean' ? flag : code === undefined ? null : false
    const outcome = outcomeOfAgent(null, tool, wordsOf(value['content'] ?? value), isFailure)
    return code === undefined ? outcome : outcome === 'ran' ? outcomeOfCode(code) : outcomeWithCode(outcome, code)
  }
  const text = wordsOf(value)
  return outcomeWithCode(outcomeOfAgent(null, tool, text, isError), exitCodeInText(null, text))
}
