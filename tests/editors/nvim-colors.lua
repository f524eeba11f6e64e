-- The plugin in the Neovim that runs this: what matters has colors of its own, and is told once in a line.
local module = vim.env.MODULE
local support = dofile(vim.env.SUPPORT)
local say, wait_for, test, screen = support.say, support.wait_for, support.test, support.screen

vim.o.lines, vim.o.columns, vim.o.hidden = 50, 80, true
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.cmd('runtime plugin/planlens.lua')
vim.diagnostic.config({ virtual_text = true })
vim.cmd('edit ' .. module .. '/main.tf')
local buffer = vim.api.nvim_get_current_buf()
local config = dofile(vim.env.PLUGIN .. '/lsp/planlens.lua')
vim.lsp.start(vim.tbl_extend('force', config, { name = 'planlens', root_dir = module, init_options = { trust = 'always' } }), { bufnr = buffer })

-- Text and group of each hint that has a color of its own, by line.
local function drawn()
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, vim.api.nvim_create_namespace('planlens.hints'), 0, -1, { details = true })) do
    local chunk = mark[4].virt_text[2]
    if chunk[2] ~= 'PlanlensValue' then
      found[mark[2]] = { text = chunk[1], group = chunk[2] }
    end
  end
  return found
end

local row
for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
  row = line:find('"yes"', 1, true) and index - 1 or row
end

test('what does not change has nothing', function()
  wait_for('a value', function() return screen():find('"release" = "1"', 1, true) end)
  assert(vim.tbl_isempty(drawn()), vim.inspect(drawn()))
end)

test('a replacement is told in color, at the header and at its cause, and once', function()
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  vim.api.nvim_buf_set_lines(buffer, row, row + 1, false, { (line:gsub('yes', 'no')) })
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  wait_for('the header', function() return vim.deep_equal(drawn()[row - 2], { text = '-/+ replace', group = 'PlanlensReplace' }) end)
  wait_for('the cause', function() return drawn()[row] and drawn()[row].text:find('forces replacement', 1, true) end)
  wait_for('the diagnostic', function() return #vim.diagnostic.get(buffer, { lnum = row }) == 1 end)
  local text = screen()
  say(text)
  assert(text:find('{ -/+ replace', 1, true), text)
  assert(not text:find('must be replaced', 1, true), text)
end)

test('the status line has the counts', function()
  wait_for('the counts', function() return require('planlens').statusline() == '-/+2' end)
end)

-- As WCAG 2 computes it; 4.5 is its level AA for text.
local function contrast(a, b)
  local function luminance(color)
    local function part(shift)
      local value = bit.band(bit.rshift(color, shift), 0xff) / 255
      return value <= 0.03928 and value / 12.92 or ((value + 0.055) / 1.055) ^ 2.4
    end
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
  end
  local one, other = luminance(a), luminance(b)
  return (math.max(one, other) + 0.05) / (math.min(one, other) + 0.05)
end

test('each color can be read, on dark and on light', function()
  for _, background in ipairs({ 'dark', 'light' }) do
    vim.o.background = background
    local behind = vim.api.nvim_get_hl(0, { name = 'Normal' }).bg
    for _, tone in ipairs({ 'Create', 'Update', 'Replace', 'Destroy', 'Read', 'Unknown', 'Value' }) do
      local own = vim.api.nvim_get_hl(0, { name = 'Planlens' .. tone, link = false })
      assert(own.fg and contrast(own.fg, behind) >= 4.5, background .. ' ' .. tone .. ': ' .. vim.inspect(own))
    end
  end
end)

test('a value that changes without an edit is drawn anew', function()
  local values = module .. '/terraform.tfvars'
  vim.fn.writefile({ 'release = "7"' }, values)
  wait_for('the value', function() return screen():find('"7"', 1, true) end)
  vim.fn.delete(values)
  wait_for('the value of before', function() return screen():find('"release" = "1"', 1, true) end)
end)

test('hints that are switched off are gone', function()
  vim.lsp.inlay_hint.enable(false, { bufnr = buffer })
  wait_for('nothing', function() return not screen():find('-/+ replace', 1, true) end)
end)

support.finish(function() say(vim.inspect(drawn()), vim.inspect(vim.tbl_map(function(each) return { each.lnum, each.code } end, vim.diagnostic.get(buffer)))) end)
