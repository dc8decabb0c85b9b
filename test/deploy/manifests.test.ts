import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { GUARDED, useApp } from '../start-app.ts'
import {
  CONFIG_PATH,
  DEPLOY,
  KUBERNETES,
  readAsProgram,
  readDocuments,
  readImage,
  readText,
  readYaml,
  stopMs,
} from './deploy-files.ts'
import { KUBERNETES_FIELDS } from './kubernetes-fields.ts'

// biome-ignore lint/suspicious/noExplicitAny: a parsed file, of which each test expects what it reads
type Yaml = any

const compose: Yaml = readYaml(DEPLOY, 'compose.yaml')
const kustomization: Yaml = readYaml(KUBERNETES, 'kustomization.yaml')
const objects: Yaml[] = kustomization.resources.flatMap((file: string) => readDocuments(KUBERNETES, file))
const find = (kind: string, name: string): Yaml =>
  objects.find((one) => one.kind === kind && one.metadata.name === name) ?? expect.fail(`there is no ${kind} ${name}`)
const deployments = objects.filter(({ kind }) => kind === 'Deployment')
const podOf = (deployment: Yaml): Yaml => deployment.spec.template.spec
const containerOf = (deployment: Yaml): Yaml => podOf(deployment).containers[0]
const labelsOf = (deployment: Yaml): Yaml => deployment.spec.template.metadata.labels

/** Interpolates as Compose does: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
function interpolate(text: string, env: NodeJS.ProcessEnv): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind: string | undefined, word = '') => {
    const value = env[name] ?? ''
    if (value !== '' || kind === undefined) return value
    if (kind === '?') throw new Error(`${name}: ${word}`)
    return word as string
  })
}

const environmentOf = (service: string, env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries<string>(compose.services[service].environment).map(([key, value]) => [key, interpolate(value, env)]),
  )
const COMPOSED = { POSTGRES_PASSWORD: 'p4ssw0rd', OPENAI_API_KEY: 'sk-1' }
const SECRETS: Record<string, string> = {
  VERIDICT_DATABASE_URL: 'postgres://u:p@db.example/veridict?sslmode=verify-full',
}

/** A container of either kind of file, as the program and its supervisor see it. */
interface Container {
  readonly role: 'service' | 'worker'
  readonly settings: string
  readonly environment: Record<string, string>
  readonly command: readonly string[]
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace_ms: number
  readonly probes: readonly { readonly port: number; readonly path: string; readonly host: string }[]
}

const composed = (['service', 'worker'] as const).map((role): [string, Container] => {
  const { command, stop_grace_period, healthcheck } = compose.services[role]
  const url = new URL(/fetch\('([^']+)'\)/.exec(healthcheck.test.at(-1))?.[1] ?? '')
  return [
    `compose ${role}`,
    {
      ...{ role, command, environment: environmentOf(role, COMPOSED), settings: join(DEPLOY, 'veridict.yaml') },
      grace_ms: Number.parseInt(stop_grace_period, 10) * 1000,
      probes: [{ port: Number(url.port), path: url.pathname, host: url.host }],
    },
  ]
})

const scheduled = deployments.map((deployment): [string, Container] => {
  const { command, env, lifecycle, ports, ...container } = containerOf(deployment)
  const { literals } = kustomization.configMapGenerator.find((one: Yaml) => one.literals !== undefined)
  const pairs = literals.map((literal: string) => /^([^=]*)=(.*)$/.exec(literal)?.slice(1))
  const own = env.map(({ name, value = SECRETS[name] ?? 'a=b' }: Yaml) => [name, value])
  const pause = Number(lifecycle?.preStop.exec.command[1] ?? 0)
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
  return [
    `Kubernetes ${deployment.metadata.name}`,
    {
      ...{ role: command.includes('src/server.ts') ? 'service' : 'worker', command },
      ...{ environment: Object.fromEntries([...pairs, ...own]), settings: join(KUBERNETES, 'veridict.yaml') },
      grace_ms: (podOf(deployment).terminationGracePeriodSeconds - pause) * 1000,
      probes: probes.map(({ httpGet: { path, port, httpHeaders } }) => ({
        ...{ path, port: ports.find((one: Yaml) => one.name === port)?.containerPort, host: httpHeaders[0].value },
      })),
    },
  ]
})

const app = useApp({ env: { VERIDICT_ALLOWED_HOSTS: 'veridict.example', ...GUARDED } }, 'once')

describe.each([...composed, ...scheduled])(
  '%s',
  (_name, { role, settings, environment, command, grace_ms, probes }) => {
    test('every variable is one that the program reads, and together they are a configuration', () => {
      const { config, unread } = readAsProgram(environment, settings)
      expect(unread).toEqual([])
      expect([config.host, config.access.required, environment['VERIDICT_CONFIG']]).toEqual([
        '0.0.0.0',
        true,
        CONFIG_PATH,
      ])
      const port = role === 'service' ? config.port : config.workers.port
      for (const probe of probes) expect(probe.port).toBe(port)
      if (role === 'service') expect([port, config.workers.in_service]).toEqual([readImage().exposed, false])
    })

    test('its command is a file of the image, and its probes ask routes that are there by a name that is always good', async () => {
      const [node, file = ''] = command
      expect([node, existsSync(file)]).toEqual(['node', true])
      expect(readImage().copied).toContain(dirname(file))
      for (const { path, host } of probes) expect((await app.get(path, { host })).statusCode).toBe(200)
    })

    test('a stop waits for the drain', () => expect(grace_ms).toBeGreaterThanOrEqual(stopMs() + 5000))
  },
)

test('a container may do little: no root, no writing, no new rights', () => {
  expect(readImage().user).toBe('node')
  for (const { role } of composed.map(([, one]) => one)) {
    const { user, privileged, volumes, ...service } = compose.services[role]
    expect([user, privileged, volumes]).toEqual([undefined, undefined, undefined])
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.deploy.resources.limits.memory).toMatch(/^\d+g$/)
  }
  for (const deployment of deployments) {
    const { securityContext, automountServiceAccountToken, serviceAccountName, enableServiceLinks } = podOf(deployment)
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(containerOf(deployment).securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    })
    // With links, the Service called veridict would set VERIDICT_PORT to tcp://10.….
    expect([automountServiceAccountToken, enableServiceLinks]).toEqual([false, false])
    expect(find('ServiceAccount', serviceAccountName).automountServiceAccountToken).toBe(false)
  }
  const { labels } = find('Namespace', 'veridict').metadata
  expect(labels['pod-security.kubernetes.io/enforce']).toBe('restricted')
})

test('no secret is written down, and without a password nothing starts', () => {
  for (const { environment = {} } of Object.values<Yaml>(compose.services))
    for (const [name, value] of Object.entries(environment))
      if (/PASSWORD|KEY|SECRET|HEADERS|URL$/.test(name)) expect(value, name).toContain('${')
  for (const service of ['service', 'postgres']) expect(() => environmentOf(service, {})).toThrow('POSTGRES_PASSWORD')
  for (const { name, valueFrom } of deployments.flatMap((one) => containerOf(one).env))
    if (/KEY|URL|HEADERS/.test(name)) expect(valueFrom, name).toBeDefined()
  for (const file of readdirSync(KUBERNETES))
    expect(readText(KUBERNETES, file)).not.toMatch(/kind: Secret|sk-|:\/\/\w+:\w+@/)
})

describe('compose', () => {
  test('the URL names what PostgreSQL is made with, which is there first and has connections for all processes', () => {
    const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = environmentOf('postgres', COMPOSED)
    const url = new URL(environmentOf('service', COMPOSED)['VERIDICT_DATABASE_URL'] ?? '')
    expect([url.username, url.pathname, url.password]).toEqual([POSTGRES_USER, `/${POSTGRES_DB}`, POSTGRES_PASSWORD])
    const { postgres, service, worker } = compose.services
    for (const { depends_on } of [service, worker])
      expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    const { config } = readAsProgram(environmentOf('service', COMPOSED), join(DEPLOY, 'veridict.yaml'))
    const most = Number(/max_connections=(\d+)/.exec(postgres.command.join(' '))?.[1])
    // A pool, two of the queue, one that listens, and one to spare.
    expect((1 + worker.deploy.replicas) * ((config.postgres?.max_connections ?? most) + 4)).toBeLessThanOrEqual(most)
  })

  test('only loopback is published, the database has no way out, and what is named is there', () => {
    for (const { networks, ports = [], volumes = [] } of Object.values<Yaml>(compose.services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
      for (const network of networks) expect(compose.networks).toHaveProperty(network)
      for (const [from] of volumes.map((volume: string) => volume.split(':')))
        expect(from.startsWith('.') ? existsSync(join(DEPLOY, from)) : from in compose.volumes, from).toBe(true)
    }
    expect(compose.networks.inside).toEqual({ internal: true })
    expect(compose.services.postgres.networks).toEqual(['inside'])
    const taken = new Set([...readText(DEPLOY, 'compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
    const named = [...readText(DEPLOY, 'example.env').matchAll(/^#?([A-Z]\w+)=/gm)].map(([, name]) => name)
    expect(named.filter((name) => !taken.has(name))).toEqual([])
  })
})

describe('Kubernetes', () => {
  test('every file is a resource, and every word one of the API', () => {
    const files = readdirSync(KUBERNETES).filter((file) => file !== 'kustomization.yaml')
    const generated = kustomization.configMapGenerator.flatMap(({ files: some = [] }: Yaml) => some)
    expect(files.sort()).toEqual([...kustomization.resources, ...generated].sort())
    const wordsOf = (value: Yaml): string[] =>
      Array.isArray(value)
        ? value.flatMap(wordsOf)
        : typeof value === 'object' && value !== null
          ? Object.entries(value).flatMap(([word, of]) => (/labels$/i.test(word) ? [word] : [word, ...wordsOf(of)]))
          : []
    const unknown = objects.flatMap((one) => wordsOf({ ...one, spec: withoutSelectors(one) }))
    expect([...new Set(unknown)].filter((word) => !KUBERNETES_FIELDS.has(word))).toEqual([])
  })

  test.each(deployments.map((one): [string, Yaml] => [one.metadata.name, one]))(
    'what selects %s selects it alone, its port alone is let in, and no schema is migrated beside an old process',
    (name, deployment) => {
      const labels = labelsOf(deployment)
      const selectors = [deployment, find('PodDisruptionBudget', name)].map(({ spec }) => spec.selector.matchLabels)
      const spread = podOf(deployment).topologySpreadConstraints.map((one: Yaml) => one.labelSelector.matchLabels)
      for (const selected of [...selectors, ...spread]) expect(selected).toEqual(labels)
      for (const other of deployments) if (other !== deployment) expect(labelsOf(other)).not.toEqual(labels)
      const policies = objects.filter(
        ({ kind, spec }) =>
          kind === 'NetworkPolicy' &&
          Object.entries(spec.podSelector.matchLabels).every(([label, value]) => labels[label] === value),
      )
      const letIn = policies.flatMap(({ spec: { ingress = [] } }) => ingress.flatMap((rule: Yaml) => rule.ports))
      const { ports, startupProbe, livenessProbe, volumeMounts, image } = containerOf(deployment)
      expect(new Set(letIn.map(({ port }) => port))).toEqual(new Set(ports.map((one: Yaml) => one.containerPort)))
      expect(policies.some(({ spec }) => spec.policyTypes.includes('Egress'))).toBe(true)
      expect(deployment.spec.strategy).toEqual({ type: 'Recreate' })
      // A loss of the database restarts nothing, and a migration has ten minutes.
      expect(livenessProbe.httpGet.path).toBe('/healthz')
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(600)
      expect(volumeMounts).toContainEqual({ name: 'file', mountPath: dirname(CONFIG_PATH), readOnly: true })
      expect(kustomization.images.map((one: Yaml) => one.name)).toContain(image)
    },
  )

  test('the Service and the autoscaler lead to the service; a provider is reached, and no private network by that way', () => {
    const [target] = deployments
    const { selector, ports } = find('Service', 'veridict').spec
    expect(selector).toEqual(labelsOf(target))
    const names = containerOf(target).ports.map(({ name }: Yaml) => name)
    for (const { targetPort } of ports) expect(names).toContain(targetPort)
    const { scaleTargetRef, minReplicas } = find('HorizontalPodAutoscaler', 'veridict').spec
    expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'veridict' })
    // Two that say how many would take turns.
    expect(target.spec.replicas).toBeUndefined()
    expect(minReplicas).toBeGreaterThan(find('PodDisruptionBudget', 'veridict').spec.maxUnavailable)
    const egress = find('NetworkPolicy', 'veridict').spec.egress.flatMap(({ to }: Yaml) => to)
    const world = egress.find(({ ipBlock }: Yaml) => ipBlock?.cidr === '0.0.0.0/0')
    expect(world.ipBlock.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16']))
  })

  test('the overlay for changes without migrations patches what is there', () => {
    const { resources, patches }: Yaml = readYaml(KUBERNETES, '../rolling/kustomization.yaml')
    for (const resource of resources) expect(existsSync(join(KUBERNETES, '../rolling', resource))).toBe(true)
    expect(patches[0].target).toEqual({ kind: 'Deployment' })
    expect(parse(patches[0].patch)).toMatchObject([{ op: 'replace', path: '/spec/strategy' }])
  })
})

/** The specification of an object; that of a Service without its selector, which holds labels and no fields. */
const withoutSelectors = ({ kind, spec }: Yaml): Yaml => (kind === 'Service' ? { ...spec, selector: null } : spec)
