import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { atif, outline, readAll, tempFolder, writeFiles } from './make.ts'

let storage = ''
beforeEach(async () => {
  storage = join(await tempFolder(), 'storage')
})

const message = (id: string, role: string, created: number) =>
  JSON.stringify({ id, sessionID: 'ses_1', role, time: { created }, modelID: 'm', providerID: 'p' })
const text = (id: string, of: string, words: string) =>
  JSON.stringify({ id, messageID: of, sessionID: 'ses_1', type: 'text', text: words })
const tool = JSON.stringify({
  ...{ id: 'prt_3', messageID: 'msg_b', sessionID: 'ses_1', type: 'tool', callID: 'c', tool: 'bash' },
  state: { status: 'completed', input: { command: 'make' }, output: 'built', title: 'make', metadata: {}, time: {} },
})
const FILES = {
  'session/p/ses_1.json': JSON.stringify({ id: 'ses_1', projectID: 'p', title: 'Build the app', time: {} }),
  'session/p/ses_2.json': JSON.stringify({ id: 'ses_2', projectID: 'p', parentID: 'ses_1', title: 'Sub' }),
  // The order of the names is not that of the times.
  'message/ses_1/msg_a.json': message('msg_a', 'assistant', 3),
  'message/ses_1/msg_b.json': message('msg_b', 'assistant', 2),
  'message/ses_1/msg_c.json': message('msg_c', 'user', 1),
  'message/ses_2/msg_d.json': message('msg_d', 'user', 1),
  'part/msg_c/prt_1.json': text('prt_1', 'msg_c', 'Build it.'),
  'part/msg_b/prt_2.json': text('prt_2', 'msg_b', 'I build.'),
  'part/msg_b/prt_3.json': tool,
  'part/msg_a/prt_4.json': text('prt_4', 'msg_a', 'Done.'),
  'session_diff/ses_1.json': '[]',
}

test('each session of opencode’s storage is one run, in the order of its times', async () => {
  await writeFiles(storage, FILES)
  const items = await readAll(storage)
  const [run, sub] = items
  expect(items).toHaveLength(2)
  if (run?.kind !== 'trial' || run.trajectory === null) throw new Error(JSON.stringify(outline(items)))
  expect(run).toMatchObject({
    name: 'storage/message/ses_1',
    trajectory: { format: 'opencode', unread: { records: 0 } },
  })
  expect(run.trajectory.steps.flatMap(({ parts }) => parts.map(({ actor, text: words }) => [actor, words]))).toEqual([
    ['user', 'Build it.'],
    ['agent_message', 'I build.'],
    ['agent_action', 'make'],
    ['tool_output', 'built'],
    ['agent_message', 'Done.'],
  ])
  expect(sub).toMatchObject({ kind: 'skipped', reason: 'unsupported', detail: expect.stringContaining('ses_1') })
})

test('a part that is no JSON is an unread record; a session over the bound is refused', async () => {
  await writeFiles(storage, { ...FILES, 'part/msg_b/prt_3.json': '{"id": ' })
  const [run] = await readAll(storage)
  expect(run).toMatchObject({ kind: 'trial', trajectory: { unread: { records: 1 } } })
  const [over] = await readAll(storage, { limits: { max_file_bytes: 300 } })
  expect(over).toMatchObject({ kind: 'skipped', reason: 'refused' })
})

test('nothing is lost in silence: parts that are gone, other roles, sessions whose file is broken, files beside', async () => {
  await writeFiles(storage, {
    ...FILES,
    'message/ses_1/msg_e.json': message('msg_e', 'assistant', 4),
    'message/ses_1/msg_f.json': message('msg_f', 'shell', 5),
    'session/p/ses_2.json': '{"id": "ses_',
    'runs/a.json': atif(),
  })
  const items = await readAll(storage)
  expect(items[0]).toMatchObject({ kind: 'trial', trajectory: { unread: { records: 2, actions: 2 } } })
  expect(items.slice(1)).toMatchObject([
    { kind: 'skipped', reason: 'unreadable', source: expect.stringContaining('ses_2') },
    { kind: 'skipped', reason: 'unsupported', source: expect.stringContaining('runs') },
  ])
})

test('folders with the names of the storage and no session are walked like any other', async () => {
  await writeFiles(storage, { 'session/a.json': atif(), 'message/b.json': atif(), 'part/c.json': atif() })
  expect((await readAll(storage)).map(({ kind }) => kind)).toEqual(['trial', 'trial', 'trial'])
})
