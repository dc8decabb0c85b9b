import { describe, expect, test } from 'vitest'
import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import { meaningOf, openCall, specOf } from '../../src/formats/tools/tool-table.ts'
import { claudeCode } from '../harness-logs/claude-code.ts'
import { codex } from '../harness-logs/codex.ts'
import { cursorStream } from '../harness-logs/cursor.ts'
import { geminiCli } from '../harness-logs/gemini-cli.ts'
import { openhands, openhandsSdk } from '../harness-logs/openhands.ts'
import type { Harness } from '../harness-logs/turn.ts'
import { read } from './make.ts'
import { type Args, ROLES, rolesBy } from './roles.ts'

/** `role:language`, or the actor of what is no act; by the name of the part behind its tool's. */
const told = ({ actor, act }: Part): string =>
  act === null || actor !== 'agent_action'
    ? actor
    : [act.role, ...(act.language === null ? [] : [act.language])].join(':')

function rolesOf(document: unknown): Record<string, string> {
  const parts = read(document).steps.flatMap((step) => step.parts)
  const made = parts.filter(
    ({ name, actor }) => actor.startsWith('agent_') && name !== 'message' && name !== 'reasoning',
  )
  return Object.fromEntries(made.map((part) => [part.name.split('.').slice(1).join('.'), told(part)]))
}

/** A document of one call. */
const called = (harness: Harness, name: string, args: Args): Record<string, unknown> =>
  harness.document('Go.', [{ tool: { name, args } }])

/** A function call of Codex, with the text of its arguments. */
function codexCall(name: string, text: string): Record<string, unknown> {
  const { records } = called(codex, 'shell', {}) as { records: { payload: Args }[] }
  const renamed = (payload: Args): Args => ('arguments' in payload ? { ...payload, name, arguments: text } : payload)
  return { records: records.map((record) => ({ ...record, payload: renamed(record.payload) })) }
}

/** Documents of one call, by harness. */
const DOCUMENTS: Readonly<Record<string, (tool: string, args: Args) => Record<string, unknown>>> = {
  'claude-code': (tool, args) => called(claudeCode, tool, args),
  codex: (tool, args) => codexCall(tool, JSON.stringify(args)),
  'gemini-cli': (tool, args) => called(geminiCli, tool, args),
  openhands: (tool, args) => called(openhands, tool, args),
  'openhands-sdk': (tool, args) => called(openhandsSdk, tool, args),
  cursor: (tool, args) => called(cursorStream, tool, args),
}

describe.each(Object.entries(DOCUMENTS))('what the arguments of a call of %s are', (harness, document) => {
  test.each(ROLES.sessions[harness] ?? [])('%s %j', (tool, args, expected) => {
    expect(rolesOf(document(tool, args))).toEqual(rolesBy(args, expected))
  })
})

test('the parts of a call share it, and name the file that it writes', () => {
  const parts = read(called(claudeCode, 'Edit', { file_path: '/f', old_string: 'a', new_string: 'b' })).steps.flatMap(
    (s) => s.parts,
  )
  const acts = parts.flatMap(({ act }) => (act === null ? [] : [act]))
  expect(acts.map(({ target }) => target)).toEqual(['/f', '/f', '/f'])
  expect(new Set(acts.map(({ call }) => call))).toEqual(
    new Set([expect.objectContaining({ tool: 'Edit', outcome: 'ran', looks: false })]),
  )
  expect(new Set(acts.map(({ call }) => call)).size).toBe(1)
})

test('a tool that no table knows is warned about once', () => {
  const { warnings } = read(called(claudeCode, 'mcp__a__b', { x: '1', y: '2' }))
  expect(warnings).toEqual([
    {
      path: '/records/1/message/content/0/name',
      message: 'the tool "mcp__a__b" is not known: its arguments prove an act where an action anchor names them',
    },
  ])
})

test.each<[string, string]>([
  ['the script of a shell', '{"command":["bash","-lc","echo \\"a\\""]}'],
  ['other words', '{"command":["echo","\\"a\\""]}'],
])('offsets of a command that is an array are those of the source: %s', (_, args) => {
  const document = codexCall('shell', args)
  for (const { path, text } of read(document)
    .steps.flatMap((step) => step.parts)
    .filter((p) => p.actor === 'agent_action')) {
    const inner = path.split('#')[1] ?? ''
    const value = inner
      .split('/')
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], JSON.parse(args))
    expect(typeof value === 'string' ? value : JSON.stringify(value)).toBe(text)
  }
})

test.each(['"bash","-n","-lc"', '"bash","-nc"', '"env","PATH=mocks","bash","-lc"'])(
  'a shell that is turned by %s runs no script that is read',
  (words) => {
    const roles = Object.values(rolesOf(codexCall('shell', `{"command":[${words},"make deploy"]}`)))
    expect(roles.filter((role) => role === 'executes:shell')).toEqual([])
  },
)

test('arguments of a shell that are no JSON are unknown', () => {
  expect(rolesOf(codexCall('shell', 'no JSON'))).toEqual({ '': 'unknown' })
})

test('what every object has is no entry of a table', () => {
  expect(rolesOf(called(claudeCode, 'constructor', { toString: 'x' }))).toEqual({ toString: 'unknown' })
  expect(rolesOf(called(claudeCode, 'Bash', { toString: 'x' }))).toEqual({ toString: 'unknown' })
})

test.each(ROLES.inspect)('inspect: %s.%s %j', (tool, argument, args, expected) => {
  const meaning = meaningOf(specOf('inspect', tool), argument, openCall(tool), args)
  expect(told({ ...meaning, text: '', path: '', name: '', media: false })).toBe(expected)
})
