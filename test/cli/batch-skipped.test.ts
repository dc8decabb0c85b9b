import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { tempFolder } from '../temp-folder.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import { type TestShell, testShell, trial } from './test-shell.ts'

const folder = tempFolder()

let service: StandIn
beforeEach(async () => {
  service = await startStandIn()
})

const run = async (shell: TestShell, ...args: string[]) => {
  await batchCommand(shell).parseAsync(['jobs', '--server', service.url, ...args], { from: 'user' })
  return shell.code()
}
const posts = () => service.requests.filter((one) => one.startsWith('POST /v1/batches?'))

describe('what is skipped', () => {
  const hostile = '\u001b]0;owned\u0007x\u202ey'
  test('is named with its reason, harmless to the terminal, and counted', async () => {
    service.ending = () => ({ label: 'aligned' })
    const shell = testShell({
      trials: () => [
        { kind: 'skipped', name: hostile, source: 'jobs/x', reason: 'unreadable', detail: `bad ${hostile}` },
        { ...(trial('b') as Extract<ReturnType<typeof trial>, { kind: 'trial' }>), warnings: ['steps out of order'] },
      ],
    })
    expect(await run(shell)).toBe(0)
    expect(shell.errors()).toContain('skipped  ⟨U+001B⟩]0;owned⟨U+0007⟩x⟨U+202E⟩y (jobs/x)  unreadable: bad ⟨U+001B⟩')
    expect(shell.errors()).toContain('warning  b  steps out of order')
    expect(shell.errors()).toContain('bat_01: 1 trial, 1 skipped, 1 warning')
    expect(shell.errors()).not.toContain('\u001b')
    expect(shell.output()).toContain('\nskipped   1 trial, named on stderr with the reason\n')
  })

  test('files that are no trajectories are counted apart, and no matter of --strict', async () => {
    service.ending = () => ({ label: 'aligned' })
    const file = {
      kind: 'skipped',
      name: 'jobs/a.md',
      source: 'jobs/a.md',
      reason: 'unsupported',
      detail: 'x',
    } as const
    const shell = testShell({ trials: () => [file, trial('b')] })
    expect(await run(shell, '--strict')).toBe(0)
    expect(shell.errors()).toContain('bat_01: 1 trial, 1 file that is no trajectory\n')
    const lost = testShell({ trials: () => [{ ...file, reason: 'no_trajectory' }, trial('c')] })
    expect(await run(lost, '--strict')).toBe(3)
  })

  test('files that are left out for the same reason are told in one line', async () => {
    service.ending = () => ({ label: 'aligned' })
    const file = (name: string, detail = 'JSON of no format') =>
      ({ kind: 'skipped', name, source: name, reason: 'unsupported', detail }) as const
    const many = Array.from({ length: 12 }, (_, at) => file(`t${at}/expected.json`))
    const rest = { ...file('jobs#files', '50 more files are no trajectories'), files: 50 }
    const shell = testShell({
      trials: () => [...many, trial('b'), file('README.md', 'neither JSON nor JSON lines'), rest],
    })
    expect(await run(shell)).toBe(0)
    expect(shell.errors().match(/^skipped .*$/gm)).toEqual([
      expect.stringMatching(
        /^skipped {2}12 files {2}unsupported: JSON of no format: t0.*, t9\/expected.json, and 2 more$/,
      ),
      'skipped  README.md  unsupported: neither JSON nor JSON lines',
      'skipped  jobs#files  unsupported: 50 more files are no trajectories',
    ])
    expect(shell.errors()).toContain('bat_01: 1 trial, 63 files that are no trajectories\n')
  })

  test('a request that the service refuses is told by its own name and place', async () => {
    const known = trial('mine') as Extract<ReturnType<typeof trial>, { kind: 'trial' }>
    const request = { ...known.request, samples: 0 }
    const shell = testShell({ trials: () => [trial('a'), { ...known, source: 'x.ndjson#line 8', request }] })
    expect(await run(shell)).toBe(1)
    expect(shell.errors()).toContain('  mine (x.ndjson#line 8) /samples  ')
  })

  test('nothing but skipped ones begins nothing', async () => {
    const shell = testShell({
      trials: () => [{ kind: 'skipped', name: 'a', source: 'a', reason: 'no_ground_truth', detail: 'no row' }],
    })
    expect(await run(shell)).toBe(1)
    expect(posts()).toEqual([])
    expect(shell.errors()).toContain('nothing to grade: 1 trial skipped, none can be graded')
  })

  test('nothing at all is not told as something skipped', async () => {
    const shell = testShell()
    expect(await run(shell)).toBe(1)
    expect(shell.errors()).toContain('nothing to grade: no trial was found there')
    expect(shell.errors()).not.toContain('skipped')
  })

  const truthless = (name: string) =>
    ({ kind: 'skipped', name, source: name, reason: 'no_ground_truth', detail: 'nothing is known of it' }) as const
  const truths = join(folder, 'truths.json')
  test.each([
    ['without -g, before anything is graded', [], [], 1, '2 trials without a ground truth: give -g FILE'],
    ['without -g, beside what is graded', [trial('c')], [], 0, 'or put a ground_truth.json into the trial’s folder'],
    ['with -g', [trial('c')], ['-g', truths], 0, `what ${truths} lacks for each is said above`],
  ] as const)('trials without a ground truth end in one hint, %s', async (_name, more, args, code, said) => {
    writeFileSync(truths, '{}')
    service.ending = () => ({ label: 'aligned' })
    const shell = testShell({ trials: () => [truthless('a'), truthless('b'), ...more] })
    expect(await run(shell, ...args)).toBe(code)
    expect(shell.errors().split(said)).toHaveLength(2)
  })
})
