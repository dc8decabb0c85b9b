import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { runToEnd } from '../run-to-end.ts'
import { tempFolder } from '../temp-folder.ts'
import { githubErrors } from './github-schema.ts'

const FOLDER = 'integrations/github-actions'
const ACTIONS = [`${FOLDER}/action.yml`, `${FOLDER}/comment/action.yml`]
const [GRADE = '', COMMENT = ''] = ACTIONS
const WORKFLOW = `${FOLDER}/example/veridict.yml`
const textOf = (name: string): string => readFileSync(name, 'utf8')

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}
interface Workflow {
  readonly permissions: object
  readonly jobs: Readonly<Record<string, { readonly permissions: object; readonly steps: readonly Step[] }>>
}

const steps = (): readonly Step[] => [
  ...ACTIONS.flatMap((name) => (parse(textOf(name)) as Action).runs.steps),
  ...Object.values((parse(textOf(WORKFLOW)) as Workflow).jobs).flatMap((job) => job.steps),
]

describe('what GitHub reads', () => {
  test('fits its schemas', () => {
    for (const name of ACTIONS) expect(githubErrors('action', name, textOf(name)), name).toEqual([])
    expect(githubErrors('workflow', WORKFLOW, textOf(WORKFLOW))).toEqual([])
    // It would not take everything.
    for (const [kept, wrong] of [
      ['runs-on', 'runs_on'],
      ['pull-requests: write', 'pull-requests: sometimes'],
      ['github.ref', 'github.ref ||'],
    ] as const)
      expect(githubErrors('workflow', WORKFLOW, textOf(WORKFLOW).replace(kept, wrong)), wrong).not.toEqual([])
    expect(githubErrors('action', GRADE, textOf(GRADE).replace('shell: bash', 'shel: bash'))).not.toEqual([])
  })

  test('pins each action to a commit, and puts no expression into a script', () => {
    const all = steps()
    expect(all.filter(({ uses }) => uses !== undefined)).toHaveLength(6)
    for (const { uses, run } of all) {
      if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/)
      expect(run ?? '').not.toContain('${{')
    }
  })

  test('grades without the right to write, and writes without a checkout', () => {
    const { permissions, jobs } = parse(textOf(WORKFLOW)) as Workflow
    expect([permissions, jobs['grade']?.permissions, jobs['comment']?.permissions]).toEqual([
      {},
      { contents: 'read' },
      { 'pull-requests': 'write' },
    ])
    expect(textOf(WORKFLOW)).not.toContain('pull_request_target')
    expect(jobs['comment']?.steps.filter(({ uses }) => uses?.startsWith('actions/checkout'))).toEqual([])
    const checkout = jobs['grade']?.steps.find(({ uses }) => uses?.startsWith('actions/checkout'))
    expect(checkout?.with).toEqual({ 'persist-credentials': false })
  })
})

let folder = ''
beforeEach(() => {
  folder = tempFolder()
})

const write = (name: string, content: string): string => {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

/** Runs the step of an action that has a script, as a runner does: its `env` from the inputs, the files and folders that GitHub documents. */
async function runStep(name: string, inputs: Readonly<Record<string, string>>, more: NodeJS.ProcessEnv = {}) {
  const action = parse(textOf(name)) as Action
  const step = action.runs.steps.find(({ run }) => run !== undefined)
  const given = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([variable, expression]) => {
      const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(expression)?.[1] ?? ''
      return [variable, inputs[input] ?? action.inputs[input]?.default ?? '']
    }),
  )
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
    GITHUB_ACTION_PATH: resolve(dirname(name)),
    GITHUB_REPOSITORY: 'acme/evals',
    GITHUB_OUTPUT: write('output', ''),
    GITHUB_STEP_SUMMARY: write('summary', ''),
    RUNNER_TEMP: join(folder, 'temp'),
    ...given,
    ...more,
  }
  mkdirSync(env.RUNNER_TEMP, { recursive: true })
  mkdirSync(join(folder, 'work'), { recursive: true })
  const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', step?.run ?? 'exit 99']
  const { code, out, err } = await runToEnd('bash', args, env, { cwd: join(folder, 'work') })
  const lines = textOf(env.GITHUB_OUTPUT)
    .split('\n')
    .filter((line) => line !== '')
  return {
    ...{ code, log: out + err, summary: textOf(env.GITHUB_STEP_SUMMARY) },
    outputs: Object.fromEntries(
      lines.map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    ),
  }
}

const HOSTILE = '::set-output name=x::y|<img src=x>[a](http:' // a folder's name has no slash

describe('the grading step', () => {
  test('grades a folder, with names that would be commands, Markdown and HTML', async () => {
    cpSync('examples/aligned-terminus-2', join(folder, 'work/jobs/one'), { recursive: true })
    cpSync('examples/unverified-media-codex', join(folder, `work/jobs/${HOSTILE} @octocat #1`), { recursive: true })
    for (const name of ['one', `${HOSTILE} @octocat #1`])
      cpSync(join(folder, 'work/jobs', name, 'ground-truth.json'), join(folder, 'work/jobs', name, 'ground_truth.json'))
    write('work/.npmrc', 'registry=http://127.0.0.1:9/\n')
    const { code, log, summary, outputs } = await runStep(GRADE, { paths: 'jobs\n\n' })
    expect([code, outputs['exit-code']], log).toEqual([0, '2'])
    expect(summary).toContain('<code>aligned</code>')
    expect(summary).toContain('unverified')
    expect(summary.match(/[@#]octocat|@|<img|\[a\]|http:/g)).toBeNull()
    const table = summary.split('\n').filter((line) => line.startsWith('|'))
    expect(table.map((line) => line.split('|').length)).toEqual([8, 8, 8, 8])
    const results = textOf(outputs['results'] ?? '')
      .trim()
      .split('\n')
    expect(results.map((line) => (JSON.parse(line) as { status: string }).status).sort()).toEqual([
      'graded',
      'unverified',
    ])
    const [begun = '', ...rest] = log.split('\n').filter((line) => line.startsWith('::'))
    expect(begun).toMatch(/^::stop-commands::[0-9a-f]{32}$/)
    expect(rest.at(-1)).toBe(`::${begun.slice('::stop-commands::'.length)}::`)
  })

  test('fails where nothing could be graded, and says so in the summary', async () => {
    const nothing = await runStep(GRADE, { paths: 'jobs', 'fail-on': 'never' })
    expect([nothing.code, nothing.outputs['exit-code']]).toEqual([1, '1'])
    expect(nothing.summary).toContain('There is no table')
  })

  test('fails where a label is missing, if it is told to', async () => {
    cpSync('examples/unverified-media-codex', join(folder, 'work/jobs/one'), { recursive: true })
    const truth = 'jobs/one/ground-truth.json'
    expect((await runStep(GRADE, { paths: 'jobs', 'ground-truth': truth, 'fail-on': 'unverified' })).code).toBe(1)
  })

  test('takes inputs as values, never as code or options', async () => {
    const mark = join(folder, 'mark')
    const evil = `$(touch ${mark}); touch ${mark} #`
    for (const inputs of [
      { paths: evil },
      { paths: '--server\nhttp://127.0.0.1:9' },
      { paths: 'jobs', judge: evil },
      { paths: 'jobs', version: evil },
      { paths: 'jobs', version: 'latest' },
      { paths: 'jobs', 'fail-on': evil },
      { paths: '' },
    ]) {
      const { code, log } = await runStep(GRADE, inputs)
      expect(code, log).toBe(1)
      expect(log).not.toContain('127.0.0.1:9 ')
    }
    expect(() => textOf(mark)).toThrow('ENOENT')
  })
})

describe('the comment step', () => {
  /** `gh`, which is on GitHub's runners and not here: keeps its arguments and the body, and answers the ids of comments. */
  function fakeGh(known: string): { env: NodeJS.ProcessEnv; calls: () => string } {
    const gh = write(
      'bin/gh',
      `#!/bin/sh
printf '%s\\n' "$*" >> '${folder}/calls'
case "$*" in *--paginate*) printf '${known}' ;; esac
for one; do case "$one" in body=@*) cat "\${one#body=@}" > '${folder}/body' ;; esac; done
`,
    )
    chmodSync(gh, 0o755)
    const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter)
    return { env: { PATH: path }, calls: () => textOf(join(folder, 'calls')) }
  }

  test('writes one comment, and replaces it the next time', async () => {
    const table = write('table.md', '| item |\n')
    const first = fakeGh('')
    expect((await runStep(COMMENT, { table, number: '7', token: 't' }, first.env)).code).toBe(0)
    expect(first.calls()).toContain('--method POST repos/acme/evals/issues/7/comments')
    expect(textOf(join(folder, 'body'))).toBe('<!-- veridict -->\n### Veridict\n\n| item |\n')
    const again = fakeGh('42\\n43\\n')
    expect((await runStep(COMMENT, { table, number: '7', token: 't' }, again.env)).code).toBe(0)
    expect(again.calls()).toContain('--method PATCH repos/acme/evals/issues/comments/42')
  })

  test('sends nothing that is too long, and nothing where there is no pull request', async () => {
    const { env, calls } = fakeGh('')
    await runStep(COMMENT, { table: write('table.md', 'x'.repeat(65_001)), number: '7', token: 't' }, env)
    expect(textOf(join(folder, 'body'))).toContain('too long for a comment')
    const before = calls()
    expect((await runStep(COMMENT, { table: 'x', number: '7/../..', token: 't' }, env)).code).toBe(1)
    expect(calls()).toBe(before)
  })
})
