import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { openInspectSample } from '../../src/formats/inspect/inspect-sample.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { callerOf, corpusOf, LIMITS, textAt } from './make.ts'

const { folder: CORPUS, isThere, files: all } = corpusOf('inspect')
const files = (end: string): string[] => all.filter((name) => name.endsWith(end))

interface Block {
  readonly type: string
  readonly text?: string
  readonly reasoning?: string
}
interface RawMessage {
  readonly role: string
  readonly content: string | readonly Block[]
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
  readonly error?: { readonly message: string }
}
type Sample = Record<string, unknown> & { id: number | string; epoch: number; messages: RawMessage[]; input: unknown }
type Header = Record<string, unknown> & { eval: { task: string; model: string } }

/** Every JSON member of a zip file, read in the test's own way: by the directory at its end. */
function unzip(bytes: Buffer): Map<string, unknown> {
  const members = new Map<string, unknown>()
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)]
    const [name, extra, note] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32)]
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const data = bytes.subarray(start, start + size)
    const text = (method === 0 ? data : inflateRawSync(data)).toString('utf8')
    members.set(bytes.toString('utf8', at + 46, at + 46 + name), JSON.parse(text))
    at += 46 + name + extra + note
  }
  return members
}

/** The filled texts and pictures of a message, by the types of their blocks. */
const pieces = (content: RawMessage['content'], ...types: string[]): number =>
  typeof content === 'string'
    ? Number(content !== '' && types.includes('text'))
    : content.filter(({ type, text, reasoning }) => types.includes(type) && (text ?? reasoning) !== '').length

/** How many parts each actor has, as the roles say it. */
function countsOf(messages: readonly RawMessage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const add = (actor: string, more: number): unknown => counts.set(actor, (counts.get(actor) ?? 0) + more)
  for (const { role, content, error } of messages) {
    const failed = typeof error === 'object' && error !== null && error.message !== content
    if (role === 'assistant') add('agent_reasoning', pieces(content, 'reasoning'))
    if (role === 'assistant') add('agent_message', pieces(content, 'text'))
    else add(role === 'tool' ? 'tool_output' : role, pieces(content, 'text', 'image') + Number(failed))
  }
  return counts
}

/** Compares a sample's trajectory with its messages, which the test counts in its own way. */
function compare(sample: Sample): void {
  const result = readTrajectory(sample, LIMITS)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  const parts = result.value.steps.flatMap((step) => step.parts)
  const isOfCall = ({ path }: { readonly path: string }): boolean => path.includes('/tool_calls/')
  const counts = countsOf(sample.messages)
  for (const actor of ['user', 'system', 'agent_message', 'agent_reasoning', 'tool_output'])
    expect([actor, parts.filter((part) => part.actor === actor && !isOfCall(part)).length]).toEqual([
      actor,
      counts.get(actor) ?? 0,
    ])
  const calls = sample.messages.flatMap((message) => message.tool_calls ?? [])
  const acts = parts
    .filter((part) => isOfCall(part) || part.actor === 'agent_action')
    .map(({ path }) => path.replace(/\/(arguments|function).*$/, ''))
  expect(new Set(acts).size).toBe(calls.length)
  const seen = new Set<string>()
  for (const part of parts) {
    const message = sample.messages[Number(part.path.split('/')[2])]
    if (isOfCall(part)) expect(part.actor).toBe(callerOf(part))
    if (isOfCall(part)) for (const { id } of message?.tool_calls ?? []) seen.add(id)
    if (part.actor === 'tool_output' && calls.length > 0) expect(seen).toContain(message?.tool_call_id)
    if (!part.media) expect(textAt(sample, part.path)).toBe(part.text)
  }
}

describe.skipIf(!isThere)('real logs', () => {
  test.each(files('.json'))('%s', (file) => {
    const text = readFileSync(`${CORPUS}${file}`, 'utf8')
    const log = JSON.parse(text) as Header & { samples: Sample[] }
    const opened = openDocuments(text)
    if (!opened.ok) throw new Error(JSON.stringify(opened.error))
    expect(opened.value.map(({ name }) => name)).toEqual(log.samples.map(({ id, epoch }) => `${id}_epoch_${epoch}`))
    for (const [index, { document, about }] of opened.value.entries()) {
      const sample = log.samples[index]
      if (sample === undefined) throw new Error('too many samples')
      const { task, model } = log.eval
      expect(about).toMatchObject({ task: `${task}/${sample.id}`, model, run_index: sample.epoch - 1 })
      if (typeof sample.input === 'string') expect(about.instruction).toBe(sample.input)
      expect(document).toEqual(sample)
      compare(sample)
    }
  })

  test.each(files('.eval'))('%s', (file) => {
    const members = unzip(readFileSync(`${CORPUS}${file}`))
    const header = members.get('header.json') as Header
    const samples = [...members].filter(([name]) => name.startsWith('samples/'))
    expect(samples.length).toBeGreaterThan(0)
    for (const [name, value] of samples) {
      const sample = value as Sample
      const opened = openInspectSample(header, sample)
      expect(`samples/${opened.name}.json`).toBe(name)
      expect(opened.about).toMatchObject({
        task: `${header.eval.task}/${sample.id}`,
        model: header.eval.model,
        run_index: sample.epoch - 1,
      })
      compare(sample)
    }
  })

  test('know the right answers by their letters', () => {
    const file = files('intercode-ctf.json')[0] ?? ''
    const opened = openDocuments(readFileSync(`${CORPUS}${file}`, 'utf8'))
    expect(opened.ok && opened.value.map(({ about }) => about.scores)).toEqual([{ includes: 1 }, { includes: 0 }])
  })
})
