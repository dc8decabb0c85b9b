import { build, type Rollup } from 'vite'
import { expect, test } from 'vitest'
import type { BatchItem } from '../../src/client/contract.ts'
import type { remote } from '../../src/client/index.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { makeItems } from '../http/make-batch.ts'
import { describeInBrowser, startAudit, useAudit } from './browser.ts'

/** The client as a page has it: `veridict.remote`. */
async function bundle(): Promise<string> {
  const lib = { entry: 'src/client/index.ts', name: 'veridict', formats: ['iife' as const], fileName: 'client' }
  const built = await build({ configFile: false, logLevel: 'error', build: { write: false, lib } })
  return (built as Rollup.RollupOutput[])[0]?.output[0].code ?? ''
}

interface Given {
  readonly request: Parameters<ReturnType<typeof remote>['grade']>[0]
  readonly items: BatchItem[]
}

/** Runs in the page. */
async function useClient({ request, items }: Given) {
  const { veridict } = globalThis as unknown as { veridict: { remote: typeof remote } }
  const client = veridict.remote(location.origin)
  const { label } = await client.grade(request)
  const { id } = await client.createBatch(items)
  let status = ''
  for await (const batch of client.events(id)) status = batch.status
  const results: (string | null)[] = []
  for await (const result of client.results(id, { wait: true })) results.push(result.label)
  return { label, status, results }
}

describeInBrowser('the TypeScript client', () => {
  const audit = useAudit(startAudit)

  test('grades, sends a batch and follows it from a page of the service', async () => {
    const page = await audit.open('/audit/')
    await page.evaluate(`${await bundle()};globalThis.veridict = veridict`)
    const items = makeItems(3, { judge: 'lexical' }) as BatchItem[]
    const given = { request: { trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH }, items }
    expect(await page.evaluate(useClient, given)).toEqual({
      label: 'aligned',
      status: 'done',
      results: ['aligned', 'aligned', 'aligned'],
    })
  })
})
