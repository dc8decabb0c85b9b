import { expect, onTestFinished, test } from 'vitest'
import { doctorCommand } from '../../src/cli/commands/store/doctor-command.ts'
import { digestValue } from '../../src/domain/digest.ts'
import type { BlobStore } from '../../src/ports/blob-ports.ts'
import { NO_CAPS } from '../../src/ports/ledger-ports.ts'
import type { Finding } from '../../src/ports/upkeep-ports.ts'
import { examineDatabase } from '../../src/storage/examine/examine.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { testShell } from '../cli/test-shell.ts'
import { finishOk, planAttempt } from '../storage/make-attempt.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { blobVariables, folderOf, openRoom, openStore, PLACE } from './blob-tools.ts'

/** Forty trajectories and one call, all outside. */
async function begin() {
  const { s3, blobs, room } = await openStore({ min_bytes: 1, max_attempts: 1, request_timeout_ms: 20_000 })
  const path = tempDatabase()
  const stores = openSqliteStores({ path, blobs })
  await stores.settlePlace()
  for (let n = 0; n < 40; n++) {
    const document = { steps: [{ text: `run ${n}` }] }
    await stores.trajectories.put({ id: digestValue(document), format: 'steps', document }, '2026-11-21T00:00:00.000Z')
  }
  await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
  await stores.attempts.finish(finishOk('att_1'))
  await stores.close()
  return { s3, room, blobs, path }
}

async function examine(path: string, blobs: BlobStore | null, full = true): Promise<Map<string, Finding>> {
  const findings = new Map<string, Finding>()
  for await (const finding of examineDatabase({ path, full, now: new Date(), blobs }))
    findings.set(finding.check, finding)
  return findings
}

test.each([true, false])('finds all whole (full: %s)', async (full) => {
  const { path, blobs } = await begin()
  const findings = await examine(path, blobs, full)
  expect(findings.get('outside')).toMatchObject({
    severity: 'ok',
    found: `41 documents of 0.0 MiB outside of the file, at ${PLACE}`,
  })
  expect(findings.get('stored trajectories')).toMatchObject({ severity: 'ok', found: '40 looked at, all whole' })
  expect(findings.get('stored replies')).toMatchObject({ severity: 'ok', found: '1 looked at, all whole' })
})

test('finds what is missing and what is damaged, and names it', async () => {
  const { s3, path, blobs } = await begin()
  const keys = [...s3.objects.keys()]
  const trajectories = keys.filter((key) => key.includes('/trajectories/'))
  for (const key of trajectories.slice(0, 3)) s3.objects.delete(key)
  for (const key of trajectories.slice(3, 5)) s3.objects.set(key, Buffer.from('something else'))
  for (const key of keys.filter((one) => one.includes('/replies/'))) s3.objects.delete(key)
  const findings = await examine(path, blobs)
  const found = findings.get('stored trajectories')
  expect(found).toMatchObject({
    severity: 'error',
    found: expect.stringMatching(/^5 documents of 40 damaged: trajectories\//),
  })
  expect(found?.ids).toHaveLength(5)
  expect(findings.get('stored replies')).toMatchObject({ severity: 'error', ids: ['att_1'] })
})

test('without the setting it says where they lie, and that they were not looked at', async () => {
  const { path, s3 } = await begin()
  const asked = s3.requests.length
  const findings = await examine(path, null)
  expect(findings.get('outside')).toMatchObject({
    severity: 'warning',
    means: expect.stringContaining('not looked at'),
    advice: expect.stringContaining(`VERIDICT_BLOBS=${PLACE}`),
  })
  expect(findings.get('stored trajectories')).toMatchObject({
    severity: 'ok',
    found: expect.stringContaining('40 outside'),
  })
  expect(s3.requests).toHaveLength(asked)
})

test('a store that cannot be asked is no damage', async () => {
  const { path, blobs, s3 } = await begin()
  s3.always = { status: 503, code: 'SlowDown' }
  expect((await examine(path, blobs)).get('stored trajectories')).toMatchObject({ severity: 'warning', ids: [] })
  s3.always = { status: 403, code: 'AccessDenied' }
  expect((await examine(path, blobs)).get('stored replies')).toMatchObject({
    severity: 'warning',
    found: expect.stringContaining('s3:GetObject'),
  })
})

test('another place than the one that is written down is a warning', async () => {
  const { path, s3 } = await begin()
  const other = openRoom(s3.endpoint, {}, 's3://veridict-test/elsewhere')
  onTestFinished(() => other.close())
  const findings = await examine(path, folderOf(other))
  expect(findings.get('outside')).toMatchObject({ severity: 'warning' })
  expect(findings.get('stored trajectories')).toMatchObject({ severity: 'error' })
})

test('the command looks by its environment', async () => {
  const { path, s3 } = await begin()
  const shell = testShell({ args: [], env: blobVariables(s3) })
  await doctorCommand(shell).parseAsync(['--database', path, '--full', '-o', 'json'], { from: 'user' })
  const { databases } = JSON.parse(shell.output()) as { databases: { findings: Finding[] }[] }
  const findings = new Map(databases[0]?.findings.map((finding) => [finding.check, finding]))
  expect(findings.get('outside')).toMatchObject({ severity: 'ok' })
  expect(findings.get('stored trajectories')).toMatchObject({ severity: 'ok', found: '40 looked at, all whole' })
})
