import { findDevices, thisHost } from '../adapters/list-devices.ts';
import { chooseDevices, parseDeviceSpec, type ChosenDevices } from '../domain/device-spec.ts';

/** The devices of this host that a specification names, with warnings. Throws `ConfigInvalid` or `NoDevice`. */
export async function findLocalDevices(
  spec: string,
  queuePrefix: string,
  env: NodeJS.ProcessEnv,
): Promise<ChosenDevices & { cores: number }> {
  const wanted = parseDeviceSpec(spec);
  const found = await findDevices(env);
  return { ...chooseDevices(wanted, found, { host: thisHost(), queuePrefix }), cores: found.cores };
}
