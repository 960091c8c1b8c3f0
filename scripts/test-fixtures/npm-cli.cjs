// Stands for npm: installs the packages of the lock file in name only, and writes down what it was asked for.
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');

const args = process.argv.slice(2);
appendFileSync('npm-calls', `${args.join(' ')}\n`);
if (existsSync('no-registry') || (existsSync('stale-cache') && args.includes('--prefer-offline'))) process.exit(1);

const locked = Object.entries(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages);
const packages = locked.filter(
  ([path, { dev, os }]) =>
    path !== '' && !(dev && args.includes('--omit=dev')) && (os ?? process.platform) === process.platform,
);
mkdirSync('node_modules', { recursive: true });
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(packages) }));
