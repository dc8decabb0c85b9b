/** Where the first word stands that is neither an option nor its value, behind `skip` words of the command’s own. */
function firstCommand(words: readonly string[], valued: string, skip: number): number {
  const withValue = valued.split(' ')
  let at = 1
  for (let left = skip; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return at + 1
    if (withValue.includes(word)) at++
    else if (!word.startsWith('-') && left-- === 0) return at
  }
  return at
}

const CONTAINER_OPTIONS =
  '-e -u -w -v -p --name --network --env --user --workdir --volume --entrypoint -n -c --container --namespace --mount --env-file --platform -h --add-host --gpus -m --memory --cpus --hostname --ip --link -l --label --restart --pull --shm-size'

const SSH_OPTIONS = '-p -i -l -o -F -L -R -D -J -b -c -E -m -S -W -B -e -I -O -Q -w'

/** Where the command begins that another program or machine runs, options and all; null: there is none. */
export function handedOverFrom(name: string, words: readonly string[]): number | null {
  if (name === 'ssh') return firstCommand(words, SSH_OPTIONS, 1)
  if (name !== 'docker' && name !== 'podman' && name !== 'kubectl' && name !== 'docker-compose') return null
  const compose = words[1] === 'compose'
  const sub = words[compose ? 2 : 1] ?? ''
  if (sub !== 'exec' && sub !== 'run') return null
  const dashes = words.indexOf('--')
  return dashes !== -1 ? dashes + 1 : firstCommand(words, CONTAINER_OPTIONS, compose ? 3 : 2)
}
