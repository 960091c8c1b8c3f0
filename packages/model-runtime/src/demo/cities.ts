/** A place whose time the demo knows. Names are in English, traditional and simplified Chinese. */
export type DemoCity = { zone: string; en: string; hant: string; hans: string; also?: readonly string[] };

/** Known places; more specific names come before names they contain. */
export const DEMO_CITIES: readonly DemoCity[] = [
  { zone: 'Asia/Tokyo', en: 'Tokyo', hant: '東京', hans: '东京', also: ['japan', 'osaka', '日本', '大阪'] },
  { zone: 'Asia/Taipei', en: 'Taipei', hant: '台北', hans: '台北', also: ['taiwan', '臺北', '台灣', '臺灣', '台湾'] },
  { zone: 'Asia/Shanghai', en: 'Shanghai', hant: '上海', hans: '上海' },
  { zone: 'Asia/Shanghai', en: 'Beijing', hant: '北京', hans: '北京', also: ['china', '中國', '中国'] },
  { zone: 'Asia/Hong_Kong', en: 'Hong Kong', hant: '香港', hans: '香港' },
  { zone: 'Asia/Singapore', en: 'Singapore', hant: '新加坡', hans: '新加坡' },
  { zone: 'Asia/Seoul', en: 'Seoul', hant: '首爾', hans: '首尔', also: ['korea', '韓國', '韩国'] },
  { zone: 'Asia/Bangkok', en: 'Bangkok', hant: '曼谷', hans: '曼谷' },
  { zone: 'Asia/Jakarta', en: 'Jakarta', hant: '雅加達', hans: '雅加达' },
  {
    zone: 'Asia/Kolkata',
    en: 'Mumbai',
    hant: '孟買',
    hans: '孟买',
    also: ['delhi', 'new delhi', 'india', '印度', '德里'],
  },
  { zone: 'Asia/Kathmandu', en: 'Kathmandu', hant: '加德滿都', hans: '加德满都' },
  { zone: 'Asia/Dubai', en: 'Dubai', hant: '杜拜', hans: '迪拜' },
  { zone: 'Europe/Istanbul', en: 'Istanbul', hant: '伊斯坦堡', hans: '伊斯坦布尔' },
  { zone: 'Europe/Moscow', en: 'Moscow', hant: '莫斯科', hans: '莫斯科' },
  { zone: 'Africa/Cairo', en: 'Cairo', hant: '開羅', hans: '开罗' },
  { zone: 'Africa/Nairobi', en: 'Nairobi', hant: '奈洛比', hans: '内罗毕' },
  { zone: 'Africa/Johannesburg', en: 'Johannesburg', hant: '約翰尼斯堡', hans: '约翰内斯堡' },
  { zone: 'Europe/London', en: 'London', hant: '倫敦', hans: '伦敦', also: ['england', '英國', '英国'] },
  { zone: 'Europe/Paris', en: 'Paris', hant: '巴黎', hans: '巴黎', also: ['france', '法國', '法国'] },
  { zone: 'Europe/Berlin', en: 'Berlin', hant: '柏林', hans: '柏林', also: ['germany', '德國', '德国'] },
  { zone: 'Europe/Madrid', en: 'Madrid', hant: '馬德里', hans: '马德里' },
  { zone: 'Europe/Rome', en: 'Rome', hant: '羅馬', hans: '罗马' },
  { zone: 'America/New_York', en: 'New York', hant: '紐約', hans: '纽约', also: ['nyc', 'boston', '波士頓', '波士顿'] },
  { zone: 'America/Chicago', en: 'Chicago', hant: '芝加哥', hans: '芝加哥' },
  { zone: 'America/Denver', en: 'Denver', hant: '丹佛', hans: '丹佛' },
  {
    zone: 'America/Los_Angeles',
    en: 'Los Angeles',
    hant: '洛杉磯',
    hans: '洛杉矶',
    also: ['seattle', '西雅圖', '西雅图'],
  },
  { zone: 'America/Los_Angeles', en: 'San Francisco', hant: '舊金山', hans: '旧金山', also: ['三藩市'] },
  { zone: 'America/Toronto', en: 'Toronto', hant: '多倫多', hans: '多伦多' },
  { zone: 'America/Vancouver', en: 'Vancouver', hant: '溫哥華', hans: '温哥华' },
  { zone: 'America/Mexico_City', en: 'Mexico City', hant: '墨西哥城', hans: '墨西哥城' },
  { zone: 'America/Sao_Paulo', en: 'São Paulo', hant: '聖保羅', hans: '圣保罗', also: ['sao paulo'] },
  { zone: 'America/Argentina/Buenos_Aires', en: 'Buenos Aires', hant: '布宜諾斯艾利斯', hans: '布宜诺斯艾利斯' },
  { zone: 'Australia/Sydney', en: 'Sydney', hant: '雪梨', hans: '悉尼', also: ['melbourne', '墨爾本', '墨尔本'] },
  { zone: 'Pacific/Auckland', en: 'Auckland', hant: '奧克蘭', hans: '奥克兰' },
  { zone: 'Pacific/Honolulu', en: 'Honolulu', hant: '檀香山', hans: '檀香山', also: ['hawaii', '夏威夷'] },
  { zone: 'UTC', en: 'UTC', hant: 'UTC', hans: 'UTC', also: ['gmt'] },
];

/** The places and IANA zones (`Asia/Tokyo`) in a text, in order of appearance. */
export function findCities(text: string): DemoCity[] {
  const lower = text.toLowerCase();
  const found: { at: number; place: DemoCity }[] = [];
  for (const place of DEMO_CITIES) {
    const names = [place.en.toLowerCase(), place.hant, place.hans, ...(place.also ?? [])];
    const at = Math.min(...names.map((name) => indexOfName(lower, name)).filter((index) => index >= 0));
    if (Number.isFinite(at)) found.push({ at, place });
  }
  for (const match of text.matchAll(/\b[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_-]+){1,2}\b/g)) {
    const zone = match[0];
    if (!found.some(({ place }) => place.zone === zone)) {
      found.push({ at: match.index, place: { zone, en: zone, hant: zone, hans: zone } });
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ place }) => place);
}

/** Latin names match whole words only. */
function indexOfName(text: string, name: string): number {
  const isLatin = /^[a-zã ]+$/.test(name);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isLatin || (!isLetter(text.charAt(at - 1)) && !isLetter(text.charAt(at + name.length)))) return at;
  }
  return -1;
}

function isLetter(char: string): boolean {
  return /^[a-z]$/.test(char);
}
