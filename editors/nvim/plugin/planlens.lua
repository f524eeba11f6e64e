-- Neovim knows no files of OpenTofu.
vim.filetype.add({ extension = { tofu = 'opentofu', tofuvars = 'opentofu-vars' } })

local commands = {
  PlanlensPause = 'pause',
  PlanlensResume = 'resume',
  PlanlensReplan = 'replan',
  PlanlensEndWhatIf = 'endWhatIf',
  PlanlensRestartProviders = 'restartProviders',
}
for name, command in pairs(commands) do
  vim.api.nvim_create_user_command(name, function() require('planlens').command(command) end, {})
end
local suppositions = { PlanlensWhatIfReplaced = 'whatIfReplaced', PlanlensWhatIfTargeted = 'whatIfTargeted' }
for name, command in pairs(suppositions) do
  vim.api.nvim_create_user_command(name, function() require('planlens').what_if(command) end, {})
end
vim.api.nvim_create_user_command('PlanlensEnvironment', function(arguments)
  require('planlens').choose_environment(arguments.args ~= '' and arguments.args or nil)
end, { nargs = '?' })
vim.api.nvim_create_user_command('PlanlensCaller', function() require('planlens').choose_caller() end, {})
vim.api.nvim_create_user_command('PlanlensDoctor', function() require('planlens').doctor() end, {})
vim.api.nvim_create_user_command('PlanlensPlan', function() require('planlens').plan() end, {})
