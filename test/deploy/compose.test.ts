import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../start-app.ts'
import { CONFIG_PATH, DEPLOY, readAsProgram, readImage, readText, readYaml, stopMs } from './deploy-files.ts'

interface Service {
  readonly image: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly stop_grace_period?: string
  readonly networks: readonly string[]
  readonly volumes?: readonly string[]
  readonly configs?: readonly { readonly source: string; readonly target: string }[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly profiles?: readonly string[]
  readonly [more: string]: unknown
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly volumes: Readonly<Record<string, object>>
  readonly configs: Readonly<Record<string, { readonly file: string }>>
}

const compose = readYaml<Compose>(DEPLOY, 'compose.yaml')
const given = { POSTGRES_PASSWORD: 'p4ssw0rd', OPENAI_API_KEY: 'sk-1' }

/** Compose’s own: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind: string | undefined, word = '') => {
    const value = env[name] ?? ''
    if (value !== '' || kind === undefined) return value
    if (kind === '?') throw new Error(`${name}: ${word}`)
    return word as string
  })
}

const environmentOf = (name: string, env: Record<string, string> = given): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [key, interpolate(value, env)]),
  )

describe.each(['service', 'worker'])('%s', (name) => {
  const one = compose.services[name] as Service

  test('every variable is one that the program reads, and together they are a configuration', () => {
    const { config, unread } = readAsProgram(environmentOf(name), join(DEPLOY, 'veridict.yaml'))
    expect(unread).toEqual([])
    expect(config.postgres?.shown).toBe('postgres://postgres:5432/veridict')
    expect(config.host).toBe('0.0.0.0')
    expect(config.access.required).toBe(true)
    expect(Object.keys(config.judges)).toEqual(['openai'])
    if (name === 'service') expect([config.port, config.workers.in_service]).toEqual([readImage().exposed, false])
    else expect(config.workers.port).toBe(8788)
  })

  test('its command is a file of the image, and asks for the log that it drains by', () => {
    const [node, file, ...args] = one.command
    expect(node).toBe('node')
    expect(existsSync(file ?? '')).toBe(true)
    expect(readImage().copied).toContain(dirname(file ?? ''))
    if (args.length === 0) return
    const help = spawnSync(process.execPath, [file ?? '', ...args, '--help'], { encoding: 'utf8' })
    expect([help.status, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toContain('VERIDICT_WORKER_PORT')
  })

  test('it is asked after its health where it answers', async () => {
    const script = one.healthcheck?.test.at(-1) ?? ''
    const url = new URL(/fetch\('([^']+)'\)/.exec(script)?.[1] ?? '')
    const { config } = readAsProgram(environmentOf(name), join(DEPLOY, 'veridict.yaml'))
    expect(Number(url.port)).toBe(name === 'service' ? config.port : config.workers.port)
    const app = await startApp()
    onTestFinished(() => app.stop())
    expect(app.http.hasRoute({ method: 'GET', url: url.pathname })).toBe(true)
    expect((await app.get(url.pathname)).statusCode).toBe(200)
  })

  test('a stop waits for the drain', () => {
    expect(one.stop_grace_period).toMatch(/^\d+s$/)
    expect(Number.parseInt(one.stop_grace_period ?? '', 10) * 1000).toBeGreaterThanOrEqual(stopMs() + 10_000)
  })

  test('it may do little: no root, no writing, no new rights', () => {
    expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(one['user'] ?? readImage().user).toBe('node')
    expect(one['privileged']).toBeUndefined()
    expect(one.volumes).toBeUndefined()
    expect(one['deploy']).toMatchObject({ resources: { limits: { memory: expect.stringMatching(/^\d+g$/) } } })
  })

  test('the database is there first, and the file of settings is where it is looked for', () => {
    expect(one.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(one.configs).toEqual([{ source: 'veridict', target: CONFIG_PATH }])
    expect(environmentOf(name)['VERIDICT_CONFIG']).toBe(CONFIG_PATH)
  })
})

test('without a password nothing starts', () => {
  expect(() => environmentOf('service', {})).toThrow('POSTGRES_PASSWORD')
  expect(() => environmentOf('postgres', {})).toThrow('POSTGRES_PASSWORD')
})

test('the URL names the user, the database and the password that PostgreSQL is made with', () => {
  const url = new URL(environmentOf('service')['VERIDICT_DATABASE_URL'] ?? '')
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD, POSTGRES_INITDB_ARGS } = environmentOf('postgres')
  expect([url.username, url.pathname.slice(1), url.password]).toEqual([POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD])
  expect(POSTGRES_INITDB_ARGS).toContain('--encoding=UTF8')
})

test('its connections are enough for the processes that are started', () => {
  const most = Number(/max_connections=(\d+)/.exec(compose.services['postgres']?.command.join(' ') ?? '')?.[1])
  const { config } = readAsProgram(environmentOf('service'), join(DEPLOY, 'veridict.yaml'))
  const replicas = (compose.services['worker'] as unknown as { deploy: { replicas: number } }).deploy.replicas
  // A pool, two of the queue, one that listens and one of the list of projects; three projects at the least.
  const ofProcess = (config.postgres?.max_connections ?? 0) * 3 + 4
  expect((1 + replicas) * ofProcess).toBeLessThanOrEqual(most)
})

test('only loopback is published, and the database has no way out', () => {
  for (const service of Object.values(compose.services))
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
  expect(compose.networks['inside']).toEqual({ internal: true })
  expect(compose.services['postgres']?.networks).toEqual(['inside'])
})

test('what is named is there: files, networks, volumes; and no secret is written down', () => {
  for (const { networks, volumes = [] } of Object.values(compose.services)) {
    for (const network of networks) expect(compose.networks).toHaveProperty(network)
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      if (from.startsWith('.')) expect(existsSync(join(DEPLOY, from)), from).toBe(true)
      else expect(compose.volumes).toHaveProperty(from)
    }
  }
  for (const { file } of Object.values(compose.configs)) expect(existsSync(join(DEPLOY, file))).toBe(true)
  for (const { environment = {} } of Object.values(compose.services))
    for (const [name, value] of Object.entries(environment))
      if (/PASSWORD|KEY|SECRET|HEADERS|URL$/.test(name)) expect(value, name).toContain('${')
})

test('the example names variables that the compose file takes', () => {
  const taken = new Set([...readText(DEPLOY, 'compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
  const named = [...readText(DEPLOY, 'example.env').matchAll(/^#?([A-Z]\w+)=/gm)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !taken.has(name))).toEqual([])
})

test('what runs by default is the service, workers and PostgreSQL', () => {
  const always = Object.entries(compose.services).filter(([, { profiles }]) => profiles === undefined)
  expect(always.map(([name]) => name).sort()).toEqual(['postgres', 'service', 'worker'])
})
