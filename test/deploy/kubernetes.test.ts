import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { schemaIssues } from '../../src/schemas/check.ts'
import { startApp } from '../start-app.ts'
import {
  CONFIG_PATH,
  KUBERNETES,
  readAsProgram,
  readDocuments,
  readImage,
  readText,
  readYaml,
  stopMs,
} from './deploy-files.ts'
import { type Deployment, SCHEMAS } from './kubernetes-schema.ts'

interface Kustomization {
  readonly resources: readonly string[]
  readonly configMapGenerator: readonly { name: string; files?: readonly string[]; literals?: readonly string[] }[]
  readonly images: readonly { readonly name: string }[]
}
interface Named {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: each has passed the schema of its kind
  readonly spec: any
}

const kustomization = readYaml<Kustomization>(KUBERNETES, 'kustomization.yaml')
const objects = kustomization.resources.flatMap((file) => readDocuments(KUBERNETES, file)) as Named[]
const find = (kind: string, name: string): Named => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const deployments = objects.filter(({ kind }) => kind === 'Deployment') as unknown as Deployment[]
const cases = deployments.map((deployment) => [deployment.metadata.name, deployment] as const)

test('every file is a resource, and every resource a file', () => {
  const files = readdirSync(KUBERNETES).filter((file) => file !== 'kustomization.yaml')
  const { resources, configMapGenerator } = kustomization
  const named = [...resources, ...configMapGenerator.flatMap(({ files: some = [] }) => some)]
  expect(files.sort()).toEqual([...named].sort())
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['veridict', 'veridict-worker'])
})

test('every object has the form of its kind, and nothing that is not of it', () => {
  for (const one of [...objects, kustomization as unknown as Named]) {
    const schema = SCHEMAS[one.kind]
    if (schema === undefined) throw new Error(`no schema for ${one.kind}`)
    expect(schemaIssues(schema, one), `${one.kind} ${one.metadata?.name}`).toEqual([])
  }
})

test('the check of the form finds a misspelt probe, an unknown field and a wrong type', () => {
  const [deployment] = deployments
  const broken = (change: (container: Record<string, unknown>) => void) => {
    const copy = structuredClone(deployment) as unknown as Deployment
    change(copy.spec.template.spec.containers[0] as unknown as Record<string, unknown>)
    return schemaIssues(SCHEMAS['Deployment'] as never, copy).length
  }
  expect(broken(() => undefined)).toBe(0)
  expect(broken((container) => Object.assign(container, { readinesProbe: {} }))).toBeGreaterThan(0)
  expect(broken((container) => delete container['livenessProbe'])).toBeGreaterThan(0)
  expect(broken((container) => Object.assign(container, { command: 'node src/server.ts' }))).toBeGreaterThan(0)
})

describe.each(cases)('%s', (name, deployment) => {
  const pod = deployment.spec.template.spec
  const [container] = pod.containers
  if (container === undefined) throw new Error('no container')
  const labels = deployment.spec.template.metadata.labels
  const generated = new Map(kustomization.configMapGenerator.map((one) => [one.name, one]))

  function environment(): Record<string, string> {
    const from =
      container?.envFrom.flatMap(({ configMapRef }) => generated.get(configMapRef.name)?.literals ?? []) ?? []
    const pairs = from.map((literal) => [
      literal.slice(0, literal.indexOf('=')),
      literal.slice(literal.indexOf('=') + 1),
    ])
    const own = container?.env.map((one) => [one.name, 'value' in one ? one.value : secretValue(one.name)]) ?? []
    return Object.fromEntries([...pairs, ...own]) as Record<string, string>
  }
  const secretValue = (variable: string) =>
    variable === 'VERIDICT_DATABASE_URL' ? 'postgres://u:p@db.example/veridict?sslmode=verify-full' : 'a=b'
  const read = () => readAsProgram(environment(), join(KUBERNETES, 'veridict.yaml'))

  test('every variable is one that the program reads, and together they are a configuration', () => {
    const { config, unread } = read()
    expect(unread).toEqual([])
    expect(config.host).toBe('0.0.0.0')
    expect(config.access).toMatchObject({ required: true, behind_tls: true })
    const port = container.ports[0]?.containerPort
    if (name === 'veridict') expect([config.port, config.workers.in_service]).toEqual([port, false])
    else expect(config.workers.port).toBe(port)
    const secret = container.env.filter((one) => /KEY|URL|HEADERS/.test(one.name))
    expect(secret.length).toBeGreaterThanOrEqual(6)
    for (const one of secret) expect('valueFrom' in one, one.name).toBe(true)
  })

  test('no variable of the Services of the cluster gets into its way', () => {
    // VERIDICT_PORT would be tcp://10.… by the Service that is called veridict.
    expect(pod.enableServiceLinks).toBe(false)
  })

  test('its probes ask routes that are there, on its own port, by a name that is always good', async () => {
    const app = await startApp({ env: { VERIDICT_ALLOWED_HOSTS: 'veridict.example', VERIDICT_ACCESS: 'on' } })
    onTestFinished(() => app.stop())
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      const { path, port, httpHeaders = [] } = probe.httpGet
      expect(container.ports.map((one) => one.name)).toContain(port)
      const headers = Object.fromEntries(httpHeaders.map((one) => [one.name.toLowerCase(), one.value]))
      expect((await app.http.inject({ url: path, headers })).statusCode).toBe(200)
      expect((await app.http.inject({ url: path, headers: { host: '10.0.0.7:8787' } })).statusCode).toBe(421)
    }
    const { startupProbe, livenessProbe, readinessProbe } = container
    // A loss of the database restarts nothing.
    expect([startupProbe, livenessProbe].map((probe) => probe.httpGet.path)).toEqual(['/healthz', '/healthz'])
    expect(readinessProbe.httpGet.path).toBe('/readyz')
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(600)
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBeGreaterThanOrEqual(60)
  })

  test('a stop waits for the drain', () => {
    const pause = Number(container.lifecycle?.preStop.exec.command[1] ?? 0)
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(pause * 1000 + stopMs() + 5_000)
  })

  test('its command is a file of the image', () => {
    const [node, file = ''] = container.command
    expect([node, existsSync(file)]).toEqual(['node', true])
    expect(readImage().copied).toContain(dirname(file))
  })

  test('it is of the restricted standard: no root, no writing, no rights, no token', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    // The user `node` of the image.
    expect([readImage().user, pod.securityContext.runAsUser]).toEqual(['node', 1000])
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(find('ServiceAccount', pod.serviceAccountName)).toMatchObject({ automountServiceAccountToken: false })
    expect(find('Namespace', 'veridict').metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    })
  })

  test('what it mounts is generated, and what it writes to is bounded', () => {
    const mounts = container.volumeMounts.map((mount) => mount.name).sort()
    expect(pod.volumes.map((volume) => volume.name).sort()).toEqual(mounts)
    for (const volume of pod.volumes) if ('configMap' in volume) expect(generated.has(volume.configMap.name)).toBe(true)
    expect(container.volumeMounts).toContainEqual({ name: 'file', mountPath: dirname(CONFIG_PATH), readOnly: true })
    expect(environment()['VERIDICT_CONFIG']).toBe(CONFIG_PATH)
    expect(kustomization.images.map((image) => image.name)).toContain(container.image)
  })

  test('what selects it selects it alone', () => {
    expect(deployment.spec.selector.matchLabels).toEqual(labels)
    expect(find('PodDisruptionBudget', name).spec.selector.matchLabels).toEqual(labels)
    for (const spread of pod.topologySpreadConstraints) expect(spread.labelSelector.matchLabels).toEqual(labels)
    const others = deployments.filter((other) => other !== deployment)
    for (const other of others) expect(other.spec.template.metadata.labels).not.toEqual(labels)
  })

  test('its port is let in, and nothing else', () => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec)
    const selects = (wanted: Record<string, string>) =>
      Object.entries(wanted).every(([label, value]) => labels[label] === value)
    const mine = policies.filter(({ podSelector }) => selects(podSelector.matchLabels))
    const inward = mine.flatMap(({ ingress = [] }) => ingress as { ports: { port: number }[] }[])
    expect(new Set(inward.flatMap(({ ports }) => ports.map(({ port }) => port)))).toEqual(
      new Set(container.ports.map(({ containerPort }) => containerPort)),
    )
    expect(mine.some(({ policyTypes }) => policyTypes.includes('Egress'))).toBe(true)
  })

  test('a schema is never migrated beside an old process, unless an overlay says so', () => {
    expect(deployment.spec.strategy).toEqual({ type: 'Recreate' })
  })
})

test('the Service leads to the port of its pods, and the autoscaler to its Deployment', () => {
  const service = find('Service', 'veridict')
  const target = deployments.find(({ metadata }) => metadata.name === 'veridict')
  expect(service.spec.selector).toEqual(target?.spec.template.metadata.labels)
  const names = target?.spec.template.spec.containers[0]?.ports.map(({ name }) => name)
  for (const { targetPort } of service.spec.ports) expect(names).toContain(targetPort)
  const { scaleTargetRef, minReplicas } = find('HorizontalPodAutoscaler', 'veridict').spec
  expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'veridict' })
  // Both say how many: they would take turns.
  expect(target?.spec.replicas).toBeUndefined()
  expect(minReplicas).toBeGreaterThan(find('PodDisruptionBudget', 'veridict').spec.maxUnavailable)
})

test('a provider is reached, and no private network by that way', () => {
  const rules = find('NetworkPolicy', 'veridict').spec.egress as {
    to: { ipBlock?: { cidr: string; except?: string[] } }[]
  }[]
  const world = rules.flatMap(({ to }) => to).find(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0')
  expect(world?.ipBlock?.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16']))
})

test('the overlay for changes without migrations patches what there is', () => {
  const overlay = readYaml<{
    kind: string
    resources: string[]
    patches: { target: { kind: string }; patch: string }[]
  }>(KUBERNETES, '../rolling/kustomization.yaml')
  expect(schemaIssues(SCHEMAS['Kustomization'] as never, overlay)).toEqual([])
  for (const resource of overlay.resources) expect(existsSync(join(KUBERNETES, '../rolling', resource))).toBe(true)
  const [patch] = overlay.patches
  expect(patch?.target.kind).toBe('Deployment')
  expect(parse(patch?.patch ?? '')).toMatchObject([{ op: 'replace', path: '/spec/strategy' }])
})

test('no secret is among the files', () => {
  for (const file of readdirSync(KUBERNETES))
    expect(readText(KUBERNETES, file)).not.toMatch(/kind: Secret|sk-|:\/\/\w+:\w+@/)
})
