import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { atif, onlyTrial, outline, RUN, readAll, tempFolder, trial, writeFiles } from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
})

describe('finds the run where its agent left it', () => {
  const chat = {
    messages: [
      { role: 'user', content: 'Build it.' },
      { role: 'assistant', content: 'Done.' },
    ],
  }
  const OTHERS = { 'agent/a.trajectory.json': atif('x') }
  const claude = ['user', 'assistant'].map((type, index) =>
    JSON.stringify({
      ...{ type, uuid: `u${index}`, parentUuid: null, sessionId: 's', timestamp: '2026-11-20T10:00:00Z' },
      message: { role: type, content: 'text of a session' },
    }),
  )
  const session = claude.join('\n')
  it.each([
    ['a collected artifact', { 'artifacts/trajectory.json': atif() }, 'artifacts/trajectory.json'],
    ['an agent with a file of its own', { 'agent/own.trajectory.json': atif() }, 'agent/own.trajectory.json'],
    ['a Claude Code session', { 'agent/sessions/projects/p/s.jsonl': session }, 'agent/sessions/projects/p/s.jsonl'],
    ['a chat', { 'agent/litellm.json': chat }, 'agent/litellm.json'],
    ['the ATIF file before all', { ...RUN, ...OTHERS, 'agent/s.jsonl': session }, 'agent/trajectory.json'],
  ])('%s', async (_, files, path) => {
    await writeFiles(job, trial('a__1234567', files))
    expect(onlyTrial(await readAll(job)).source).toBe(join(job, 'a__1234567', path))
  })

  it('and falls back from a file that is broken, saying so', async () => {
    const files = { 'agent/trajectory.json': '{"steps": [', 'agent/sessions/s.jsonl': session }
    await writeFiles(job, trial('a__1234567', files))
    const { source: from, warnings } = onlyTrial(await readAll(job))
    expect(from).toContain('sessions/s.jsonl')
    expect(warnings[0]).toContain('agent/trajectory.json is not what was read')
  })

  it('and takes the largest of several sessions, naming the others', async () => {
    const files = {
      'agent/sessions/a.jsonl': claude[0],
      'agent/sessions/b.jsonl': session,
      'agent/sessions/s/subagents/agent-1.jsonl': claude.join('\n\n'),
    }
    await writeFiles(job, trial('a__1234567', files))
    const { source: from, warnings } = onlyTrial(await readAll(job))
    expect(from).toContain('sessions/b.jsonl')
    expect(warnings).toEqual([
      'not read: agent/sessions/a.jsonl',
      'not read: what a subagent did, agent/sessions/s/subagents/agent-1.jsonl',
    ])
  })
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

describe('what the agent can write besides its run', () => {
  const FORGED = { 'artifacts/app/trajectory.json': atif('forged') }
  it('is read with a warning where nothing else is a run', async () => {
    await writeFiles(job, trial('a__1234567', { ...FORGED, 'agent/claude-code.txt': 'text', 'agent/x.json': {} }))
    expect(onlyTrial(await readAll(job)).warnings.at(-1)).toBe(
      'the run is taken from artifacts/, which the agent can write',
    )
  })

  it.each([
    ['is broken', 'agent/trajectory.json', '{"steps": [', 'unreadable'],
    ['has no steps', 'agent/trajectory.json', atif('x', { steps: [] }), 'unreadable'],
    ['is empty', 'agent/trajectory.json', '', 'no_trajectory'],
    ['is of no format', 'agent/trajectory.json', { x: 1 }, 'no_trajectory'],
    ['of another name is broken', 'agent/a.trajectory.json', '{"steps": [', 'unreadable'],
  ])('does not stand in for a run that %s', async (_, path, content, reason) => {
    await writeFiles(job, trial('a__1234567', { ...FORGED, [path]: content }))
    expect(outline(await readAll(job))).toEqual([`job/a__1234567: ${reason}`])
  })

  it('does not stand in for a run that is a link', async () => {
    await writeFiles(job, trial('a__1234567', { ...FORGED, 'agent/x.txt': '' }))
    await symlink('nowhere', join(job, 'a__1234567/agent/trajectory.json'))
    expect(outline(await readAll(job))).toEqual(['job/a__1234567: no_trajectory'])
  })
})

it('follows continuations and subagent files into one document, once each', async () => {
  const summary = 'trajectory.summarization-1-summary.json'
  const refs = [summary, '../../secret.json'].map((trajectory_path) => ({ trajectory_path }))
  const observation = { results: [{ content: 'ok', subagent_trajectory_ref: refs }] }
  const first = atif('one', { continued_trajectory_ref: 'trajectory.cont-1.json' })
  ;(first['steps'] as object[]).push({ step_id: 3, source: 'agent', message: '', observation })
  const second = atif('two', { continued_trajectory_ref: 'trajectory.json' })
  const files = {
    'agent/trajectory.json': first,
    'agent/trajectory.cont-1.json': second,
    [`agent/${summary}`]: atif('summary'),
    'secret.json': atif('secret'),
  }
  await writeFiles(job, trial('a__1234567', files))
  const { request, warnings } = onlyTrial(await readAll(job))
  expect(request.trajectory).toEqual({ segments: [first, second], subagents: { [summary]: atif('summary') } })
  expect(warnings).toEqual([
    'joined from trajectory.cont-1.json',
    'joined from trajectory.summarization-1-summary.json',
    'the run goes on in trajectory.json, which was read before',
    'a subagent is in ../../secret.json, which is outside of the folder',
  ])
})

it('reads loose runs of several files once, and what continues nothing by itself', async () => {
  await writeFiles(job, {
    'trajectory.json': atif('one', { continued_trajectory_ref: 'trajectory.cont-1.json' }),
    'trajectory.cont-1.json': atif('two'),
    'x.cont-7.json': atif('alone'),
  })
  expect(outline(await readAll(job))).toEqual(['job/trajectory.json', 'job/x.cont-7.json'])
})
