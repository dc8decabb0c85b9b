import { describe, expect, test } from 'vitest'
import { harnessOf, specOf } from '../../src/formats/tools/tool-table.ts'
import { atif, read } from './make.ts'
import { ROLES, rolesBy } from './roles.ts'

/** `role`, `role:language`, with `→target`, of each argument of a call; the actor where it is no act. */
const rolesOf = (document: unknown): Record<string, string> =>
  Object.fromEntries(
    read(document)
      .steps.flatMap(({ parts }) => parts)
      .filter(({ path }) => path.includes('/tool_calls/'))
      .map(({ name, actor, act }) => {
        const target = act?.target == null ? '' : `→${act.target}`
        return [name, act === null ? actor : `${[act.role, act.language].filter(Boolean).join(':')}${target}`]
      }),
  )
const call = (agent: string, tool: string, args: object): object =>
  atif([{ tool_calls: [{ tool_call_id: 'a', function_name: tool, arguments: args }] }], { agent: { name: agent } })

test.each(ROLES.editors)('a command of an editor %s is given what others take', (_name, agent, tool, args, roles) => {
  expect(rolesOf(call(agent, tool, args))).toEqual(rolesBy(args, roles, tool))
})

describe('what the arguments of a call are', () => {
  test.each(ROLES.atif)('%s, %s %j', (agent, tool, args, expected) => {
    expect(rolesOf(call(agent, tool, args))).toEqual(rolesBy(args, expected, tool))
  })

  test.each(['__proto__', 'constructor', 'toString', '', 'Bash ', 'mcp__x__bash'])(
    'and no name is in a table but by itself: %j',
    (name) => {
      for (const agent of [null, 'claude-code', 'constructor', '__proto__']) expect(specOf(agent, name)).toBeUndefined()
    },
  )

  test.each([
    ['terminus-2', 'terminus'],
    ['terminus-2-summarization-summary', 'terminus'],
    ['mini-swe-agent', 'mini-swe-agent'],
    ['qwen-code', 'gemini-cli'],
    ['Claude-Code', 'claude-code'],
    ['claudette', null],
    [null, null],
  ])('%s has the tools of %s', (agent, harness) => {
    expect(harnessOf(agent)).toBe(harness)
  })
})

test.each(['Bash', 'notify_user', 'ask_permission'])('%s proves nothing of an agent that is not known', (tool) => {
  const kinds = (agent: string) => Object.values(rolesOf(call(agent, tool, { message: 'rotate the key' })))
  expect(kinds('some-agent')).toEqual(['unknown'])
})
