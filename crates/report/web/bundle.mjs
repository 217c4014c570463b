// Bundles the libraries that the report embeds, licences first: `npm run build` writes dist/libraries.js, which is
// committed, so that a build of ftlab needs no Node.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

const web = new URL('./', import.meta.url);
export const BUNDLE = new URL('dist/libraries.js', web);

/** The bundle, as its sources and the versions of package-lock.json give it. */
export async function bundle() {
  const { metafile, outputFiles } = await build({
    absWorkingDir: decodeURIComponent(web.pathname),
    entryPoints: ['vendor/libraries.mjs'],
    outfile: 'dist/libraries.js',
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'libraries',
    charset: 'ascii',
    legalComments: 'inline',
    metafile: true,
    write: false,
  });
  const from = Object.keys(metafile.inputs).map((path) => path.match(/^node_modules\/([^/]+)\//)?.[1]);
  const names = [...new Set(from.filter(Boolean))].sort();
  const notices = await Promise.all(names.map(notice));
  return `/*!\n${notices.join('\n')}*/\n${outputFiles[0].text}`;
}

/** The text that the licence of a library requires to be passed on. */
async function notice(name) {
  const folder = new URL(`node_modules/${name}/`, web);
  const { version } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
  const files = await readdir(folder, { recursive: true });
  const texts = files.filter((file) => /^(licenses\/)?(LICENSE|NOTICE)[^/]*$/.test(file)).sort();
  if (!texts.some((file) => /^LICENSE/.test(file))) throw new Error(`${name} has no licence`);
  const read = await Promise.all(texts.map(async (file) => {
    const text = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n').trim();
    if (/\*\/|[^\n\t\x20-\x7e]/.test(text)) throw new Error(`${name}/${file} cannot stand in a comment`);
    return `---- ${name} ${version}: ${file}\n\n${text}\n`;
  }));
  return read.join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeFile(BUNDLE, await bundle());
