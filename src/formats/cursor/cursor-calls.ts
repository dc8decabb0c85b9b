import type { ActOutcome } from '../../domain/acts/act.ts'
import { wordSet } from '../../domain/text/words.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
import { previewOf, readPreview } from '../common/content.ts'
import { idText, isAbsent, isRecord, type Json, pointer } from '../common/reading.ts'
import { addLeaves, asList, asRecord, type Session, settle, sinkTo, warnType } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { outcomeWithCode } from '../tools/exit-codes.ts'

/** What `result` says of a call, by its member: what came of it, or why nothing did. */
const OUTCOMES: Readonly<Record<string, ActOutcome>> = {
  ...{ success: 'ran', failure: 'failed', error: 'failed', timeout: 'interrupted', spawnError: 'failed' },
  ...{ rejected: 'rejected', permissionDenied: 'rejected', readPermissionDenied: 'rejected' },
  ...{ writePermissionDenied: 'rejected', aborted: 'interrupted' },
}

/** What the harness makes of the arguments, for itself. */
const HARNESS_ARGS: ReadonlySet<string> = wordSet(`toolCallId parsingResult simpleCommands hasInputRedirect
  hasOutputRedirect skipApproval fileOutputThresholdBytes timeoutBehavior closeStdin classifierResult agentId`)
/** What a result repeats of its call, and the harness's own figures. */
const HARNESS_RESULT: ReadonlySet<string> = wordSet(`command workingDirectory executionTime localExecutionTimeMs
  signal aborted path pattern interleavedOutput fileSize isEmpty exceededLimit totalLines totalChars readRange pid
  afterFullFileContent linesAdded linesRemoved isReadonly shellId msToWait contentBlobId`)
const BODY_FIELDS: ReadonlySet<string> = new Set(['args', 'result', 'description'])

interface Tool {
  readonly name: string
  readonly body: Json
  readonly path: string
}

/** Calls of Cursor's stream: an event when one starts, with its arguments, and one when it completed, with its result. */
export class CursorCalls {
  readonly #session: Session
  /** What the calls that have started and not completed do, by id. */
  readonly #open = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  read(event: Json, path: string): void {
    const { reading } = this.#session
    const { subtype, call_id: id, tool_call: made } = event
    const own = idText(id)
    const key = own === null ? `at ${path}` : `call ${own}`
    if (subtype !== 'started' && subtype !== 'completed')
      reading.warn(`${path}/subtype`, 'must be started or completed; read as started')
    const tool = toolOf(made, `${path}/tool_call`)
    if (tool === null) this.#unread(made, `${path}/tool_call`, key, own)
    else {
      for (const field of Object.keys(tool.body))
        if (!BODY_FIELDS.has(field)) reading.warnOnce(tool.path, `unknown field ${JSON.stringify(field)}, not read`)
      this.#start(tool, path, key, own)
    }
    if (subtype !== 'completed') return
    if (tool !== null) this.#complete(tool, key, path)
    if (own !== null) this.#open.delete(own)
  }

  /** A call is shown where it started. Its end repeats the arguments, or has none. */
  #start({ name, body, path }: Tool, event: string, key: string, id: string | null): void {
    const { args } = body
    const words = JSON.stringify([name, args ?? null])
    const known = id === null ? undefined : this.#open.get(id)
    if (known === words || (known !== undefined && (isAbsent(args) || known === CUT))) return
    if (id !== null) this.#open.set(id, words)
    const step = this.#session.turn(null)
    addCall(this.#session, step.parts, {
      call: this.#session.call(step, key, name),
      args: isRecord(args) ? withoutKeys(args, HARNESS_ARGS) : args,
      path: `${path}/args`,
      namePath: `${event}/type`,
      nameText: 'tool_call',
    })
  }

  /** A call that a corpus cut, or one whose form is not known: an act, but nobody can tell which part of it. */
  #unread(made: unknown, path: string, key: string, id: string | null): void {
    const { reading } = this.#session
    if (id !== null && this.#open.has(id)) {
      reading.unread(path, 'the end of a call, cut or of an unknown form; not shown', false)
      return
    }
    if (id !== null) this.#open.set(id, CUT)
    const step = this.#session.turn(null)
    const call = this.#session.call(step, key, 'tool_call')
    const act = { role: 'unknown', language: null, target: null, call } as const
    const text = (preview: string, at: string): void =>
      reading.add(step.parts, { actor: 'agent_action', text: preview, path: at, name: 'tool_call', act })
    if (readPreview(reading, made, path, { text, media: text }, true)) return
    warnType(reading, path, 'form of tool call', Object.keys(asRecord(made))[0])
    addCall(this.#session, step.parts, { call, args: made, path, namePath: null, spec: null })
  }

  #complete({ name, body, path }: Tool, key: string, event: string): void {
    const { result } = body
    const { parts, tool, call } = this.#session.output(key, event, null)
    settle(call, outcomeOf(result))
    const at = `${path}/result`
    const sink = sinkTo(this.#session.reading, parts, 'tool_output', tool)
    if (previewOf(result) !== null) readPreview(this.#session.reading, result, at, sink)
    else if (!isRecord(result)) addLeaves(sink, result ?? {}, at)
    else
      for (const [kind, value] of Object.entries(result))
        if (isRecord(value)) this.#output(parts, name, value, pointer(at, kind))
        else if (typeof value === 'string') sink.text(value, pointer(at, kind))
  }

  #output(parts: Part[], name: string, value: Json, path: string): void {
    const { reading } = this.#session
    if (asList(value['conversationSteps']).length > 0)
      reading.warnOnce(
        path,
        "a subagent's steps, shown as the output of its call: its acts are not told from its words",
      )
    const { stdout, stderr, interleavedOutput: both } = value
    const isMixed = stdout === undefined && stderr === undefined && typeof both === 'string'
    const shown = withoutKeys(value, HARNESS_RESULT)
    addLeaves(
      sinkTo(reading, parts, 'tool_output', name),
      isMixed ? { ...shown, interleavedOutput: both } : shown,
      path,
    )
  }
}

/** Stands for the words of a call that a corpus cut. */
const CUT = 'cut'

/** `{"shellToolCall": {…}}`, or `{"tool": {"case": "shellToolCall", "value": {…}}}`. Null for anything else. */
function toolOf(made: unknown, path: string): Tool | null {
  if (!isRecord(made) || previewOf(made) !== null) return null
  const { case: name, value } = asRecord(made['tool'])
  if (typeof name === 'string' && isRecord(value)) return { name, body: value, path: `${path}/tool/value` }
  const names = Object.keys(made).filter((key) => key.endsWith('ToolCall') && isRecord(made[key]))
  const [only] = names
  if (only === undefined || names.length > 1) return null
  return { name: only, body: asRecord(made[only]), path: pointer(path, only) }
}

function outcomeOf(result: unknown): ActOutcome {
  if (!isRecord(result)) return isAbsent(result) ? 'unknown' : 'ran'
  const kind = Object.keys(result).find((key) => Object.hasOwn(OUTCOMES, key))
  if (kind === undefined) return 'unknown'
  const { exitCode, aborted } = asRecord(result[kind])
  if (aborted === true) return 'interrupted'
  return outcomeWithCode(OUTCOMES[kind] ?? 'unknown', typeof exitCode === 'number' ? exitCode : null)
}

const withoutKeys = (record: Json, keys: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.has(key)))
