import { describe, expect, test } from 'vitest'
import { runToEnd } from '../run-to-end.ts'
import { startApp } from '../start-app.ts'
import { findPython } from './python.ts'

const python = findPython(3, 11)
if ('why' in python) console.log(`integrations/harbor is not tested: ${python.why}`)

describe.skipIf('why' in python)('integrations/harbor', () => {
  // The package and the verifier are tested by their own tests, in Python; those of a whole job ask this service.
  test('its own tests pass, against a running service', async () => {
    const url = await (await startApp()).listen()
    const command = 'command' in python ? python.command : ''
    const env = { ...process.env, VERIDICT_TEST_URL: url, PYTHONDONTWRITEBYTECODE: '1' }
    const args = ['-m', 'unittest', 'discover', '-t', '.', '-s', '.']
    const { code, err: said } = await runToEnd(command, args, env, { cwd: 'integrations/harbor/test' })
    expect(code, said).toBe(0)
    // None was skipped: OK alone, not "OK (skipped=1)".
    expect(said).toMatch(/^Ran (?:2[5-9]|[3-9]\d) tests in [\d.]+s\n\nOK\n$/m)
  })
})
