import type { ActOutcome } from '../../domain/trajectory/act.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { wordsOf } from '../common/content.ts'
import { isAbsent, isRecord, type Reading } from '../common/reading.ts'
import { type OpenStep, Session, settle } from '../common/session.ts'
import { addCall, type CallWords } from '../common/session-calls.ts'
import { readBlocks } from '../openai-chat/openai-chat-blocks.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { specOf } from '../tools/lookup.ts'
import { exitCodeSaid, outcomeOfAgent, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'
import type { OpenCall, ToolTable } from '../tools/tool-table.ts'

/** A call of a tool that a library's user wrote: its name is told by whatever table knows it. */
interface DialogueCall extends Pick<CallWords, 'args' | 'path' | 'nameText'> {
  readonly id: unknown
  /** Null: the file names none. */
  readonly tool: string | null
  readonly namePath: string
}

/** What a call of no name is called. */
const NAMELESS = 'tool_call'

/**
 * What the readers of libraries' messages share (AI SDK, LangChain, Responses, Pydantic AI, verifiers): the steps of a session, and contents
 * as blocks of any provider. Such a library has no tools of its own but those of `hosted`, so that tools are told by the table that knows them.
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

  /** Text, or blocks as providers write them. Nothing of it is a call of the agent's, whatever it looks like. */
  content(parts: Part[], actor: Actor, content: unknown, path: string, name: string): void {
    readBlocks(this.#content, content, path, { actor, name, parts, outputs: parts })
  }

  /** What a tool brought: text, blocks, or every leaf of whatever else it is. */
  output(parts: Part[], value: unknown, path: string, tool: string): void {
    if (isAbsent(value)) return
    const isContent = typeof value === 'string' || (Array.isArray(value) && value.every(isBlock))
    if (isContent) this.content(parts, 'tool_output', value, path, tool)
    else this.#content.leaves(parts, 'tool_output', value, path, tool)
  }

  /** A call, in a step; remembered under its id for what answers it. */
  call(step: OpenStep, { id, tool, namePath, ...words }: DialogueCall): OpenCall {
    if (tool === null) this.reading.warn(namePath, 'a tool call must name its tool')
    const call = this.session.call(step, id, tool ?? NAMELESS)
    const spec = Object.hasOwn(this.session.tools, call.tool) ? undefined : specOf(null, call.tool)
    const at = tool === null && words.nameText === undefined ? null : namePath
    addCall(this.session, step.parts, { ...words, call, namePath: at, ...(spec !== undefined && { spec }) })
    return call
  }

  /** A tool's answer at its place; `isError`: what the library says of it, null where it says nothing. */
  answer(id: unknown, idPath: string, value: unknown, path: string, isError: boolean | null): void {
    const place = this.session.output(id, idPath, null)
    settle(place.call, outcomeOfOutput(place.tool, value, isError))
    this.output(place.parts, value, path, place.tool)
  }
}

const isBlock = (item: unknown): boolean => isRecord(item) && typeof item['type'] === 'string'

const CODES = ['exit_code', 'exitCode', 'returncode', 'return_code'] as const

/**
 * What became of a call whose answer is known; that the library says no error says nothing of the command that the tool ran. An object that
 * tells neither a code nor whether it is an error is asked for its words, as the same as a text is.
 */
export function outcomeOfOutput(tool: string, value: unknown, isError: boolean | null): ActOutcome {
  if (isRecord(value)) {
    const code = CODES.map((name) => value[name]).find((one) => typeof one === 'number')
    const flag = isError === true || value['isError'] === true || (isError ?? value['isError'])
    const isTold = typeof flag === 'boolean' ? flag : code === undefined ? null : false
    const said = outcomeOfAgent(null, tool, wordsOf(value['content'] ?? value), isTold)
    return code === undefined ? said : said === 'ran' ? outcomeOfCode(code) : outcomeWithCode(said, code)
  }
  const text = wordsOf(value)
  return outcomeWithCode(outcomeOfAgent(null, tool, text, isError), exitCodeSaid(null, text))
}
