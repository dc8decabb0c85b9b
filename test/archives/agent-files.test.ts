import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
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
  const claude = ['user', 'assistant'].map((type, index) =>
    JSON.stringify({
      type,
      uuid: `u${index}`,
      parentUuid: null,
      sessionId: 's',
      timestamp: '2026-11-20T10:00:00Z',
      message: { role: type, content: 'text of a session' },
    }),
  )
  it.each([
    ['a collected artifact', { 'artifacts/trajectory.json': atif() }, 'artifacts/trajectory.json'],
    [
      'an agent with a file of its own',
      { 'agent/openhands.trajectory.json': atif() },
      'agent/openhands.trajectory.json',
    ],
    [
      'a Claude Code session',
      { 'agent/sessions/projects/p/s.jsonl': claude.join('\n') },
      'agent/sessions/projects/p/s.jsonl',
    ],
    ['a chat', { 'agent/litellm.json': chat }, 'agent/litellm.json'],
    [
      'the ATIF file before all',
      { ...RUN, 'agent/a.trajectory.json': atif('x'), 'agent/s.jsonl': claude.join('\n') },
      'agent/trajectory.json',
    ],
  ])('%s', async (_, files, path) => {
    await writeFiles(job, trial('a__1234567', files))
    expect(onlyTrial(await readAll(job)).source).toBe(join(job, 'a__1234567', path))
  })

  it('and falls back from a file that is broken, saying so', async () => {
    await writeFiles(
      job,
      trial('a__1234567', { 'agent/trajectory.json': '{"steps": [', 'agent/sessions/s.jsonl': claude.join('\n') }),
    )
    const { source: from, warnings } = onlyTrial(await readAll(job))
    expect(from).toContain('sessions/s.jsonl')
    expect(warnings[0]).toContain('agent/trajectory.json is not what was read')
  })

  it('and takes the largest of several sessions, naming the others', async () => {
    const files = {
      'agent/sessions/a.jsonl': claude[0],
      'agent/sessions/b.jsonl': claude.join('\n'),
      'agent/sessions/s/subagents/agent-1.jsonl': claude.join('\n\n'),
    }
    await writeFiles(job, trial('a__1234567', files))
    const { source: from, warnings } = onlyTrial(await readAll(job))
    expect(from).toContain('sessions/b.jsonl')
    expect(warnings).toEqual(['not read: agent/sessions/a.jsonl'])
  })
})

it('follows continuations and subagent files into one document, once each', async () => {
  const refs = [
    { trajectory_path: 'trajectory.summarization-1-summary.json' },
    { trajectory_path: '../../secret.json' },
  ]
  const observation = { results: [{ content: 'ok', subagent_trajectory_ref: refs }] }
  const first = atif('one', { continued_trajectory_ref: 'trajectory.cont-1.json' })
  ;(first['steps'] as object[]).push({ step_id: 3, source: 'agent', message: '', observation })
  const second = atif('two', { continued_trajectory_ref: 'trajectory.json' })
  const files = {
    'agent/trajectory.json': first,
    'agent/trajectory.cont-1.json': second,
    'agent/trajectory.summarization-1-summary.json': atif('summary'),
    'secret.json': atif('secret'),
  }
  await writeFiles(job, trial('a__1234567', files))
  const { request, warnings } = onlyTrial(await readAll(job))
  expect(request.trajectory).toEqual({
    segments: [first, second],
    subagents: { 'trajectory.summarization-1-summary.json': atif('summary') },
  })
  expect(warnings).toEqual([
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
