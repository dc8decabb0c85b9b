import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { MissingSource } from '../../src/archives/trials/read-trials.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { atif, onlyTrial, outline, RUN, readAll, source, tempFolder, trial, writeFiles } from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
})

describe('what subagents of a session did', () => {
  const record = (more: object) => JSON.stringify({ timestamp: '2026-11-20T10:00:00Z', sessionId: 's', ...more })
  const said = (type: string, uuid: string, text: string, more: object = {}) =>
    record({ type, uuid, parentUuid: null, message: { role: type, content: text }, ...more })
  const main = [said('user', '1', 'Build it.'), said('assistant', '2', 'Done.')].join('\n')
  const sub = (name: string, more: object = {}) =>
    said('assistant', name, `curl ${name}.example`, { isSidechain: true, agentId: name, ...more })
  const P = 'agent/sessions/projects/p'

  it('is part of the run, and a warning names its files', async () => {
    const files = {
      [`${P}/s.jsonl`]: main,
      [`${P}/s/subagents/agent-one.jsonl`]: sub('one'),
      [`${P}/agent-two.jsonl`]: sub('two'),
    }
    await writeFiles(job, trial('a__1234567', files))
    const { request, warnings } = onlyTrial(await readAll(job))
    expect(warnings).toEqual([`joined from ${P}/agent-two.jsonl`, `joined from ${P}/s/subagents/agent-one.jsonl`])
    const read = readTrajectory(request.trajectory, { max_steps: 100, max_part_chars: 10_000 })
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const parts = read.value.steps.map(({ name, parts }) => [name, parts[0]?.text])
    expect(parts.slice(2)).toEqual([
      ['two#two', 'curl two.example'],
      ['one#one', 'curl one.example'],
    ])
  })

  it.each([
    ['of another session', sub('x', { sessionId: 't' })],
    ['that are not a subagent’s by their records', said('assistant', '9', 'x')],
    ['that cannot be read', '{"type": '],
  ])('is not taken from files %s, and a warning counts them', async (_, text) => {
    const files = { [`${P}/s.jsonl`]: main, [`${P}/agent-1.jsonl`]: text, [`${P}/agent-2.jsonl`]: text }
    await writeFiles(job, trial('a__1234567', files))
    const { request, warnings } = onlyTrial(await readAll(job))
    expect(request.trajectory).toEqual({ records: main.split('\n').map((line) => JSON.parse(line)) })
    expect(warnings).toEqual([`not read: what a subagent did, ${P}/agent-1.jsonl and 1 more like it`])
  })

  it('is told where the run is not that session', async () => {
    await writeFiles(job, trial('a__1234567', { ...RUN, [`${P}/agent-1.jsonl`]: sub('x') }))
    expect(onlyTrial(await readAll(job)).warnings).toEqual([`not read: what a subagent did, ${P}/agent-1.jsonl`])
  })
})

it('a file that the agent can write does not stand in for a run that is a link', async () => {
  const files = { 'artifacts/app/trajectory.json': atif('forged'), 'agent/x.txt': '' }
  await writeFiles(job, trial('a__1234567', files))
  await symlink('nowhere', join(job, 'a__1234567/agent/trajectory.json'))
  expect(outline(await readAll(job))).toEqual(['job/a__1234567: no_trajectory'])
})

describe('signals of a reading', () => {
  const rewards = (more: object) => ({ verifier_result: { rewards: more } })

  it('are told once where a place holds nothing, and counted at the end', async () => {
    await writeFiles(job, {
      ...trial('a__1234567', RUN),
      ...trial('b__1234567', RUN),
      ...trial('c__1234567', RUN, rewards({ reward: 1, seen: true })),
    })
    const signals = [source('resolved=reward:rewrad>=1'), source('appeared=reward:seen')]
    const missing: MissingSource[] = []
    const items = await readAll(job, { signals, onMissing: (one) => missing.push(one) })
    const warnings = items.flatMap((item) => (item.kind === 'trial' ? item.warnings : []))
    expect(warnings).toEqual([
      expect.stringContaining('there is nothing at resolved=reward:rewrad;'),
      expect.stringContaining('there is nothing at appeared=reward:seen;'),
    ])
    expect(missing).toEqual([
      { source: signals[0], missing: 3, trials: 3 },
      { source: signals[1], missing: 2, trials: 3 },
    ])
  })

  it('are told once to be unknown where the only reward is called otherwise', async () => {
    await writeFiles(job, {
      ...trial('a__1234567', RUN, rewards({ score: 1 })),
      ...trial('b__1234567', RUN, rewards({ score: 0 })),
    })
    const warningsOf = async (options = {}) =>
      (await readAll(job, options)).flatMap((item) => (item.kind === 'trial' ? item.warnings : []))
    expect(await warningsOf()).toEqual([expect.stringContaining('no reward is called reward, but score')])
    expect(await warningsOf({ signals: [source('resolved=reward:score>=1')] })).toEqual([])
    expect(await warningsOf({ signals: [source('resolved=none')] })).toEqual([])
  })
})

const utf16 = (text: string) => Buffer.from(text, 'utf16le')

it.each([
  ['with a byte order mark', utf16(`\ufeff${JSON.stringify(atif())}`)],
  ['without one', utf16(JSON.stringify(atif()))],
  ['big-endian', utf16(`\ufeff${JSON.stringify(atif())}`).swap16()],
])('a loose file is read as UTF-16: %s', async (_name, bytes) => {
  const texts = { 'run.json': bytes, 'nul.jsonl': `\0\0${JSON.stringify(atif())}\0` }
  await writeFiles(job, texts)
  const items = await readAll(Object.keys(texts).map((name) => join(job, name)))
  expect(items.map((item) => (item.kind === 'trial' ? item.kind : item.detail))).toEqual(['trial', 'trial'])
})
